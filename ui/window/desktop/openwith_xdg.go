//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"easel/ui/window/desktop/programs"
)

// Programs finds the programs of this desktop and opens files with them.
type Programs struct{}

// For returns the programs for a type of file, the default first. Their names are in the
// language lang if they have one.
func (Programs) For(mime, lang string) []programs.Program { return programs.For(mime, lang) }

// All returns all programs that open files. It is empty where the system has a dialog to
// choose from them, which Choose shows.
func (Programs) All(lang string) []programs.Program { return programs.All(lang) }

// Open opens a file with a program.
func (Programs) Open(p programs.Program, file string) error {
	name, args, dir := p.Command(file)
	return launchIn(dir, name, args...)
}

// Choose shows the system's dialog to choose a program. Here, there is none.
func (Programs) Choose(string) error { return ErrNoProgram }
