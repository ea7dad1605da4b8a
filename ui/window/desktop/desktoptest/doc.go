// Package desktoptest provides displays for tests, and a program that pastes.
package desktoptest
