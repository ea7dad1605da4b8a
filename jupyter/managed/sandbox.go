package managed

import (
	"errors"
	"io/fs"
	"os"

	"easel/jupyter/sandbox"
)

// sandboxFile is the name of the file that says that the kernels of a project have a sandbox; see
// easel_sandbox.py.
const sandboxFile = "sandbox.json"

// A sandboxConfig is the content of the sandboxFile.
type sandboxConfig struct {
	Launcher []string       `json:"launcher"`
	Policy   sandbox.Policy `json:"policy"`
}

// SetSandbox says what the kernels of the project that start from now on may do: everything, if the policy
// is nil. SetSandbox sets the folders of the policy. If there is no sandbox on this machine, kernels do not start
// until it is nil again.
func (p *Project) SetSandbox(policy *sandbox.Policy) error {
	files := p.supervisor.files
	if policy == nil {
		if err := os.Remove(files.file(sandboxFile)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	full := *policy
	full.Root, full.Home = p.of.Root, files.file("sandbox-home")
	if err := os.MkdirAll(full.Home, 0o700); err != nil {
		return err
	}
	return writeJSON(files.file(sandboxFile), sandboxConfig{Launcher: []string{self, sandbox.Command}, Policy: full})
}

// sandboxed reports whether SetSandbox has set a policy.
func (p *Project) sandboxed() bool {
	_, err := os.Lstat(p.supervisor.files.file(sandboxFile))
	return !errors.Is(err, fs.ErrNotExist)
}
