// Package expiry sets how long Fyne caches what it has drawn but no longer shows:
// textures of texts, discarded widgets, and their sizes. Fyne's default is one minute.
// In that time a burst of plots fills a hundred megabytes.
//
// Fyne reads the duration from the environment when its package is initialized. Go
// initializes packages in the order of their import paths, as soon as their imports are
// initialized. This package imports only os, and "easel" sorts before "fyne.io". Import
// it for its side effect.
//
// # Goroutines
//
// It has none. Its work is done before main.
package expiry

import (
	"os"
	"time"
)

// Kept is how long Fyne caches what is not shown. It must be longer than ten seconds:
// that long before the end, Fyne begins to check what it shows, in every frame if there
// is no time in between.
const Kept = 20 * time.Second

// variable is the name of Fyne's environment variable. If the user has set it, that
// value is used.
const variable = "FYNE_CACHE"

func init() {
	if os.Getenv(variable) == "" {
		_ = os.Setenv(variable, Kept.String()) // fails only for invalid names
	}
}
