// Package wayland puts data on the clipboard of a Wayland compositor. It speaks the
// protocol ext-data-control-v1 and its predecessor wlr-data-control-unstable-v1, which
// need no window that has the focus. Not every compositor has one of them.
//
// # Goroutines
//
// A Source has one goroutine, until something else is copied or Close is called, and one
// for each program that pastes. Close waits for them.
package wayland
