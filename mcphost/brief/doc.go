// Package brief gives the outputs of tools the form that models read: without what a model already
// has or cannot use, with lists and texts cut to what is worth its context. REST and programs get
// the whole output.
//
// # Goroutines
//
// All functions are pure.
package brief
