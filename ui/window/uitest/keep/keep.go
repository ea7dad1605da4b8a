// Package keep has Fyne keep what it has drawn for as long as a test runs.
//
// Fyne's cache takes the time from the last picture that was drawn, and a test draws few.
// Widgets that are made more than a minute after the last one count as expired as soon as
// the next picture is drawn, and Fyne draws new ones in their place, which nobody has laid
// out. On a busy machine that makes blank fields in a golden file's picture.
//
// It has to be initialised before Fyne: see [easel/ui/window/memory/expiry].
//
// # Goroutines
//
// It has none; what it does is done before main.
package keep

import "os"

func init() { _ = os.Setenv("FYNE_CACHE", "24h") } // it fails only for names that are none
