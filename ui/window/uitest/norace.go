//go:build !race

package uitest

// underRace tells that the race detector is on.
const underRace = false
