// Package command declares what the user asks of the core in the window, and no assistant can: to
// title, trash and export plots, to answer a question, to undo. What assistants can ask, too, is a
// tool of package catalog. The topics work in the same way; package tools answers them.
//
// # Goroutines
//
// The topics are safe for concurrent use. The types are data.
package command
