package command

import (
	"easel/eventbus"
	"easel/mcphost/catalog"
)

// A ProjectPython is a Python environment that was found for a project.
type ProjectPython struct {
	Python string // the interpreter
	Label  string // "proj/.venv, Python 3.12.1, uv"
	Why    catalog.Reason // how it was found
	Broken catalog.Reason // why it cannot be used; the zero Reason if it can
}

// ProjectPythons returns the environments of the project with a root, best first.
var ProjectPythons = eventbus.NewTopic[string, []ProjectPython]("project_pythons")
