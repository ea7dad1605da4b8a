// Package expiry sets how long Fyne keeps what it has drawn and no longer shows: text
// as textures, widgets that were thrown away, their sizes. By itself it is a minute,
// in which a burst of plots leaves a hundred megabytes.
//
// Fyne reads it from the environment when its own package is initialised. Go
// initialises packages in the order of their import paths, as soon as what they import
// is: this one imports only os, and easel comes before fyne.io. Import it for its effect.
//
// # Goroutines
//
// It has none; what it does is done before main.
package expiry

import (
	"os"
	"time"
)

// Kept is how long Fyne keeps what is not shown. It must be longer than ten seconds: Fyne
// looks through what it shows that much before the end, for each frame if there is
// no time between.
const Kept = 20 * time.Second

// variable is Fyne's. A user who has set it decides.
const variable = "FYNE_CACHE"

func init() {
	if os.Getenv(variable) == "" {
		_ = os.Setenv(variable, Kept.String()) // it fails only for names that are none
	}
}
