// Package pressure reports how much memory is available on this machine, and whether that is
// low. If that is unknown, it is never low.
//
// # Goroutines
//
// The package starts none. Its functions are safe for concurrent use.
package pressure

// A Reading is the available and the total memory in bytes, of the machine or, if that has
// less, of this process's control group. It is zero if that is unknown.
type Reading struct {
	Available, Total int64
}

// most is the limit, in bytes, above which available memory is never low.
const most = 2 << 30

// Low reports whether the available memory is low: less than 10% of the total, and less than
// 2 GiB. If it was low before, both limits are 50% higher.
func (r Reading) Low(was bool) bool {
	if r.Total <= 0 {
		return false
	}
	limit := min(r.Total/10, most)
	if was {
		limit += limit / 2
	}
	return r.Available < limit
}
