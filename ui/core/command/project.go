package command

import "easel/eventbus"

// A ProjectPython is a Python environment that was found for a project.
type ProjectPython struct {
	Python string // the interpreter
	Label  string // "proj/.venv, Python 3.12.1, uv"
	Broken string // why it cannot be used; "" if it can
}

// ProjectPythons returns the environments of the project with a root, best first.
var ProjectPythons = eventbus.NewTopic[string, []ProjectPython]("project_pythons")
