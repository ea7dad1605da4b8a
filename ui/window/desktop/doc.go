// Package desktop reaches for what Fyne does not offer of the user's desktop:
// the session bus, a picture on the clipboard, a file in the file manager, an
// address in the browser. Each works with what the system has, and says when that
// is not enough.
//
// # Goroutines
//
// Everything may be called from any goroutine, and may wait for another program:
// not from the UI goroutine. A program that goes on, as a browser may, is waited
// for by one goroutine, which ends with it.
package desktop
