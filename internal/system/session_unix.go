//go:build unix && !linux

package system

import "os/exec"

// Tie is OwnSession: here, the program has to notice by itself that this one has ended.
func Tie(cmd *exec.Cmd) { OwnSession(cmd) }
