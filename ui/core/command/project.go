package command

import (
	"easel/eventbus"
	"easel/mcphost/catalog"
)

// A ProjectPython is a Python environment that was found for a project.
type ProjectPython struct {
	Python string         // the interpreter
	Label  string         // "proj/.venv, Python 3.12.1, uv"
	Why    catalog.Reason // how it was found
	Broken catalog.Reason // why it cannot be used; the zero Reason if it can
}

// ProjectPythonsOut is what the user can choose for the kernels of a project.
type ProjectPythonsOut struct {
	Found   []ProjectPython // best first
	EnvFile bool            // the project has a .env file
}

// ProjectPythons returns the environments of the project with a root.
var ProjectPythons = eventbus.NewTopic[string, ProjectPythonsOut]("project_pythons")

// A Project is a project that is open: its Jupyter server runs, or the user has just opened it.
type Project struct {
	Root      string
	Server    string         // name of its Jupyter server; "" if that does not run
	Python    ProjectPython  // of its sessions and notebooks; the zero value is Easel's own
	Unusable  ProjectPython  // the one that it would have if that worked; often the zero value
	Missing   catalog.Reason // which environment its files describe that does not exist; often the zero Reason
	Command   string         // what makes the missing one, in a terminal
	Notebooks []string       // paths in the project, with slashes, the last changed first
}

// OpenProjectOut is the project of a directory, which assistants may then work in. If Refused is
// not the zero Reason, the directory is no project, and says why.
type OpenProjectOut struct {
	Project Project
	Refused catalog.Reason
}

// OpenProject allows the project of a directory for the user. It starts nothing.
var OpenProject = eventbus.NewTopic[string, OpenProjectOut]("open_project")

// ChoosePythonIn says which Python a project has: an interpreter, state.EaselPython, or "" for
// the best that is found.
type ChoosePythonIn struct{ Root, Python string }

// ChoosePython sets the Python of a project's new sessions.
var ChoosePython = eventbus.NewTopic[ChoosePythonIn, struct{}]("choose_python")

// ReadEnvFileIn says whether kernels of a project have the variables in its .env file.
type ReadEnvFileIn struct {
	Root string
	Read bool
}

// ReadEnvFile sets that for kernels that start from now on.
var ReadEnvFile = eventbus.NewTopic[ReadEnvFileIn, struct{}]("read_env_file")

// SandboxIn says whether kernels of a project run in a sandbox, and what that allows beside the project.
type SandboxIn struct {
	Root        string
	On, Network bool
	Read, Write []string // other folders
}

// SandboxOut says why no kernel of the project can start with that; "" if they can.
type SandboxOut struct{ Unavailable string }

// SetSandbox sets that for kernels that start from now on.
var SetSandbox = eventbus.NewTopic[SandboxIn, SandboxOut]("set_sandbox")

// ProjectLabIn names a project by its root, and a notebook in it; "" is the project itself.
type ProjectLabIn struct{ Root, Notebook string }

// ProjectLab starts the server of a project if it does not run. It returns the address of its
// JupyterLab, for the user's browser only: it contains a token. It is "" if there is none.
var ProjectLab = eventbus.NewTopic[ProjectLabIn, string]("project_lab")
