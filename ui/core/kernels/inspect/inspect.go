// Package inspect answers what is asked of a kernel: its variables and DataFrames, the figures
// that it keeps, the fonts on its machine, and what its process uses.
//
// # Goroutines
//
// Its functions run on their caller's goroutine.
package inspect
