//go:build !race

package uitest

// underRace reports whether the race detector is on.
const underRace = false
