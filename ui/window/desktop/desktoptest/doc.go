// Package desktoptest provides displays for tests, and a program that pastes.
//
// # Goroutines
//
// A Paster belongs to the goroutine of its test.
package desktoptest
