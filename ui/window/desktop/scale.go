package desktop

import (
	"os"
	"strconv"
)

// scaleEnv is the environment variable from which Fyne reads by how much it enlarges everything,
// each time its settings change.
const scaleEnv = "FYNE_SCALE"

// Scale returns a function that makes Fyne draw everything larger or smaller than the user's own
// setting of Fyne says, which is its environment variable or else own.
func Scale(own float32) func(percent int) {
	given, isGiven := os.LookupEnv(scaleEnv)
	base := float64(own)
	if f, err := strconv.ParseFloat(given, 64); err == nil && f > 0 {
		base = f
	}
	if base <= 0 {
		base = 1
	}
	return func(percent int) {
		switch {
		case percent != 100:
			_ = os.Setenv(scaleEnv, strconv.FormatFloat(base*float64(percent)/100, 'f', 2, 64)) // the name is valid
		case isGiven:
			_ = os.Setenv(scaleEnv, given)
		default:
			_ = os.Unsetenv(scaleEnv)
		}
	}
}
