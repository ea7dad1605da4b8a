package record

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"easel/jupyter/project"
	"easel/mcphost/tool"
)

// moduleNotFound is the type of the error of a missing module in Python.
const moduleNotFound = "ModuleNotFoundError"

var missingModule = regexp.MustCompile(`^No module named ['"]([\w.]+)['"]`)

// missing returns the module that an error says is missing, or "".
func missing(message string) string {
	if m := missingModule.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}

// absent returns how to go on without a module. A module of the project comes first, and only a package that the
// project or Easel knows is offered for installation: any name may be a stranger's package. A part that is missing in
// a package that exists gets no hint. Python then says so (“; 'x' is not a package”), or names the package before the last dot.
func (f failedRun) absent(message string) string {
	module := missing(message)
	if module == "" || strings.Contains(message, "is not a package") {
		return ""
	}
	if gone := standardGone[module]; gone != "" {
		return gone
	}
	name, known := distribution(module)
	if !known && (strings.Contains(module, ".") || strings.HasPrefix(module, "_")) { // a part of what is installed, or of Python
		return ""
	}
	var local []project.LocalModule
	if !f.away && f.directory != "" {
		local = project.Modules(f.directory)
	}
	if i := slices.IndexFunc(local, func(l project.LocalModule) bool { return l.Name == module }); i >= 0 {
		return f.notInstalled(local[i])
	}
	if !known {
		name = strings.ReplaceAll(module, "_", "-")
	}
	if said := f.notSynced(module, name); said != "" {
		return said
	}
	switch {
	case known:
		return f.install(module, name)
	case projects[module]:
		return fmt.Sprintf("%s sounds like a file of the project: %s.", module, f.reach())
	}
	return f.unknown(module, local)
}

// notInstalled says how to reach a module of the project.
func (f failedRun) notInstalled(l project.LocalModule) string {
	in := "in this environment"
	if f.environment != "" {
		in += " (" + f.environment + ")"
	}
	said := fmt.Sprintf("%s is a file of the project, in %s, but not installed %s. ", l.Name, l.Folder, in)
	label, kind := f.kind()
	if command := project.Installer(f.directory, l.Folder, label, kind); command != "" && f.environment != "" {
		said += fmt.Sprintf("`%s` installs it; ", command)
	}
	return said + fmt.Sprintf("sys.path.insert(0, %q) reaches it in this kernel.", l.Folder)
}

// notSynced says how to install a package that a file of the project names; "" if none does.
func (f failedRun) notSynced(module, name string) string {
	if f.away || f.environment == "" || f.directory == "" {
		return ""
	}
	file, folder, command := project.Declared(f.directory, name)
	if file == "" {
		return ""
	}
	said := fmt.Sprintf("This is %s. %s in %s names %s, but it is not installed here. ", f.environment, file, folder, name)
	if _, ok := f.recorder(); ok && command != "" {
		return said + fmt.Sprintf("`%s` in %s installs it, unless it is optional; then import %s again.", command, folder, module)
	}
	return said + fmt.Sprintf("%%pip install %s installs it for this environment; then import %s again.", name, module)
}

// install returns how to install a package that has a missing module, and in which Python.
func (f failedRun) install(module, name string) string {
	switch command, locked := f.recorder(); {
	case f.environment == "" && name != module:
		return fmt.Sprintf("%%pip install %s installs %s for this kernel; then import it again.", name, module)
	case f.environment == "":
		return fmt.Sprintf("%%pip install %s installs it for this kernel; then import it again. If it is a file of the project, %s.", name, f.reach())
	case strings.HasSuffix(f.environment, ", "+project.Pyenv):
		return fmt.Sprintf("This is %s, in %s. %%pip install %s installs it there, for all projects that use this Python; an environment in the project (python -m venv .venv) keeps it apart.", f.environment, f.directory, name)
	case locked:
		return fmt.Sprintf("This is %s. In %s, `%s %s` adds it and records it; then import it again.", f.environment, f.directory, command, name)
	default:
		return fmt.Sprintf("This is %s, in %s. %%pip install %s installs it there; then import it again.", f.environment, f.directory, name)
	}
}

// unknown says that nothing is known to have a module, and what may have been meant.
func (f failedRun) unknown(module string, local []project.LocalModule) string {
	var names []string
	for _, l := range local {
		names = append(names, l.Name)
	}
	if near := tool.Misspelt(module, names); near != "" {
		l := local[slices.Index(names, near)]
		return fmt.Sprintf("No module is called %s. The project has %s, in %s: is that meant? sys.path.insert(0, %q) reaches it if import %s fails, too.", module, near, l.Folder, l.Folder, near)
	}
	meant := ""
	if near := nearly(module); near != "" {
		meant = fmt.Sprintf(" Is %s meant?", near)
	}
	add, where := "%pip install", ""
	if command, ok := f.recorder(); ok {
		add = command
	}
	if f.environment != "" {
		where = fmt.Sprintf("This is %s, in %s. ", f.environment, f.directory)
	}
	own := " If it is a file of the user's project, " + f.reach() + "."
	if f.environment != "" && !f.away {
		own = ""
	}
	return fmt.Sprintf("%sNo module of the project or of this environment is called %s, and Easel knows no package with it.%s%s"+
		" Check the name before you install anything: `%s` adds a package, and any name may be a stranger's.", where, module, meant, own, add)
}

// reach returns how to reach the files of the user's project.
func (f failedRun) reach() string {
	switch {
	case f.own:
		return "session_create with directory works in the user's project"
	case f.environment != "" && f.directory != "":
		return "this kernel was started in " + f.directory + "; add its folder to sys.path"
	default:
		return "add its folder to sys.path"
	}
}

// recorder returns the command that adds a package to the project, if it has a lock file.
func (f failedRun) recorder() (command string, ok bool) {
	if f.environment == "" || f.directory == "" || f.away {
		return "", false
	}
	label, kind := f.kind()
	return project.Recorder(f.directory, label, kind)
}

// kind returns the label and the kind of the environment.
func (f failedRun) kind() (label, kind string) {
	label, _, _ = strings.Cut(f.environment, ", ")
	kind = f.environment[strings.LastIndex(f.environment, " ")+1:]
	if strings.HasSuffix(f.environment, ", Python "+kind) { // its name has said it
		kind = project.Venv
	}
	return label, kind
}
