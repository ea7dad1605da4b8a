// Package tokens estimates what a text costs a model.
//
// # Goroutines
//
// It has no state. Its functions may be called from any goroutine.
package tokens

// In estimates, within a factor of two, how many tokens a text has. Numbers have more than words, and each character that is
// not ASCII counts as one.
func In(text string) int {
	ascii, others := 0, 0
	for _, r := range text {
		if r < 0x80 {
			ascii++
		} else {
			others++
		}
	}
	return (ascii*2+4)/5 + others
}
