package tool

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A Workspace is what a client's process knows of where it works. Everything in it is only a
// claim: the user allows a project by its path.
type Workspace struct {
	Directory   string `json:"directory,omitempty"`    // absolute; "" if unknown
	VirtualEnv  string `json:"virtual_env,omitempty"`  // the variable VIRTUAL_ENV
	CondaPrefix string `json:"conda_prefix,omitempty"` // the variable CONDA_PREFIX
	Python      string `json:"python,omitempty"`       // the first python on its PATH
}

// headerWorkspace is the header in which a stdio bridge sends its Workspace, as JSON that is
// escaped like a query.
const headerWorkspace = "Easel-Workspace"

// maxWorkspace is the largest length of the header, in bytes.
const maxWorkspace = 16 << 10

// workspaceVariables name the directory that a client works in, if it starts its servers
// elsewhere.
var workspaceVariables = []string{"CLAUDE_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS", "EASEL_PROJECT_DIR"}

// Here returns the workspace of this process. named reports whether a variable names its directory;
// otherwise, it is the working directory.
func Here() (w Workspace, named bool) {
	w = Workspace{VirtualEnv: os.Getenv("VIRTUAL_ENV"), CondaPrefix: os.Getenv("CONDA_PREFIX")}
	w.Directory, _ = os.Getwd() // without it, it is unknown
	for _, name := range workspaceVariables {
		first, _, _ := strings.Cut(os.Getenv(name), ",") // Cursor's variable lists all folders of the window
		if filepath.IsAbs(first) {
			w.Directory, named = filepath.Clean(first), true
			break
		}
	}
	programs := []string{"python", "python3"}
	if runtime.GOOS == "windows" {
		programs = []string{"python.exe"}
	}
	for _, p := range programs {
		if found, err := exec.LookPath(p); err == nil && filepath.IsAbs(found) {
			w.Python = found
			break
		}
	}
	return w, named
}

// SetHeader adds w to the headers of a request, unless it is empty or too long.
func (w Workspace) SetHeader(h http.Header) {
	if w == (Workspace{}) {
		return
	}
	raw, err := json.Marshal(w)
	if err != nil { // strings can always be encoded
		return
	}
	if value := url.QueryEscape(string(raw)); len(value) <= maxWorkspace {
		h.Set(headerWorkspace, value)
	}
}

// WorkspaceFrom returns the workspace in the headers of a request. Without one, or if it is not
// valid, it returns the zero Workspace.
func WorkspaceFrom(h http.Header) (w Workspace) {
	value := h.Get(headerWorkspace)
	if value == "" || len(value) > maxWorkspace {
		return w
	}
	raw, err := url.QueryUnescape(value)
	if err != nil || json.Unmarshal([]byte(raw), &w) != nil {
		return Workspace{}
	}
	for _, p := range []*string{&w.Directory, &w.VirtualEnv, &w.CondaPrefix, &w.Python} {
		if !filepath.IsAbs(*p) || strings.ContainsRune(*p, 0) {
			*p = ""
		}
	}
	return w
}
