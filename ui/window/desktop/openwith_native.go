//go:build windows || darwin

package desktop

import "easel/ui/window/desktop/programs"

// Programs opens files with programs that the user chooses in a dialog of the system.
type Programs struct{}

// For returns nil: the system's dialog lists the programs.
func (Programs) For(string, string) []programs.Program { return nil }

// All returns nil, as For.
func (Programs) All(string) []programs.Program { return nil }

// Open returns an error, because there are no programs to call it with.
func (Programs) Open(programs.Program, string) error { return ErrNoProgram }

// Choose shows the system's dialog to choose a program for a file.
func (Programs) Choose(file string) error { return choose(file) }
