// Package desktop provides what Fyne lacks to work with the user's desktop: the session
// bus, pictures on the clipboard, files in the file manager, addresses in the browser,
// starting at login, and finding a display. Each function uses what the system has, and
// returns an error if that is not enough.
//
// # Goroutines
//
// Every function may be called from any goroutine. Since it may wait for another
// program, it should not be called from the UI goroutine. One goroutine waits for each
// program that was started, and ends with it. A picture on the clipboard of X11 or
// Wayland has one until something else is copied or Clipboard.Close is called.
package desktop
