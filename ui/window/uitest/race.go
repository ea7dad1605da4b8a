//go:build race

package uitest

// underRace reports whether the race detector is on. Painting a window then takes ten
// times as long and finds no races, so pixels are compared only without it.
const underRace = true
