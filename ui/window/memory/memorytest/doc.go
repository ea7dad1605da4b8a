// Package memorytest uses memory of C's allocator as a renderer does, for tests.
//
// # Goroutines
//
// The package starts none.
package memorytest
