// Package pressure tells how much memory is left on this machine, and whether that is
// little. Where it cannot be told, nothing is ever little.
//
// # Goroutines
//
// Its functions may be called from any goroutine; it starts none.
package pressure

// A Reading is how much memory programs can still take, of how much there is, in bytes.
// Where a control group allows this process less than the machine has, it is of that.
type Reading struct {
	Available, Total int64
}

// most bounds what counts as little on a machine that has much.
const most = 2 << 30

// Low tells whether that is little: less than a tenth, and less than 2 GiB. What was
// little stays so until half as much again is available.
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
