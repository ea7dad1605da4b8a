// Package keep makes Fyne cache what it has drawn until the test ends.
//
// Fyne's cache uses the time of the last picture that was drawn, and a test draws few.
// Widgets that are created more than a minute after the last picture expire as soon as
// the next one is drawn. Fyne then creates their renderers again, and nothing lays them
// out. On a busy machine this causes blank fields in a golden picture.
//
// The package must be initialized before Fyne: see [easel/ui/window/memory/expiry].
//
// # Goroutines
//
// It has none. Its work is done before main.
package keep

import "os"

func init() { _ = os.Setenv("FYNE_CACHE", "24h") } // fails only for invalid names
