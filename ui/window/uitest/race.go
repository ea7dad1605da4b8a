//go:build race

package uitest

// underRace tells that the race detector is on: painting a window then takes ten
// times as long and finds nothing, so pixels are compared in the other run.
const underRace = true
