package record

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"easel/jupyter/managed"
	"easel/jupyter/project"
	"easel/jupyter/sandbox"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/language"
)

// A failedRun is code that has failed, with what is known about its kernel.
type failedRun struct {
	Error       *catalog.ExecutionError // nil if it has not failed
	code        string
	language    string // of the kernel, in lower case; "" if unknown
	environment string // its Python, if it is a project's; see library.Session
	own         bool   // it is Easel's own Python, in the working folder
	away        bool   // it is on another machine
	directory   string // where it was started; "" if unknown
	// folder returns the kernel's working directory; "" if it is not known. It is only called
	// for an error about a path.
	folder func() string
	// sandbox is that of its kernel; nil if it has none.
	sandbox *sandbox.Start
}

// Advice on errors that lead nowhere by themselves.
const (
	adviseWhere  = "Relative paths start at the kernel's working directory. Print os.getcwd() and os.listdir(), or use file_list to find the file."
	adviseWhereR = "Relative paths start at the kernel's working directory. Print getwd() and list.files(), or use file_list to find the file."
	adviseCRAN   = "R could not reach its repository of packages, so nothing was installed. options(\"repos\") says which it is; " +
		"options(repos = c(CRAN = \"https://…\")) or a file:// address sets another one."
	adviseQuit    = "The code asked to end its kernel, which still runs, with all variables. session_restart starts it afresh, session_delete ends it."
	adviseUnshown = "A value, such as a plot, could not be displayed: stderr says why. The code itself did not fail."
	adviseStdin   = "A program that the code starts gets no input: only input() and getpass() of the kernel's own code ask the user. " +
		"Pass the answer with it, for example subprocess.run(…, input=\"yes\\n\", text=True), or an option such as --yes."
)

// advice returns how to go on after an error; "" if the error says enough.
func (f failedRun) advice() string {
	e := f.Error
	if e == nil || e.Code != catalog.CodeExecution {
		return ""
	}
	if said := f.inSandbox(); said != "" {
		return said
	}
	if f.language == "r" {
		return f.adviceInR()
	}
	if f.language != "" && f.language != "python" {
		return ""
	}
	switch e.Type {
	case moduleNotFound:
		return f.absent(e.Message)
	case "FileNotFoundError":
		return f.where(e.Message)
	case "KeyError":
		return f.variable()
	}
	return ""
}

// environ marks the traceback of a missing environment variable.
const environ = "_Environ."

// variable says that the project's .env file has an environment variable that is missing. A kernel
// with the variables of that file would have it.
func (f failedRun) variable() string {
	name := strings.Trim(f.Error.Message, `'"`)
	if f.own || !strings.Contains(f.Error.Traceback, environ) {
		return ""
	}
	dir := f.directory
	if dir == "" { // of a notebook
		dir = f.folder()
	}
	if !project.EnvFileNames(dir, name) {
		return ""
	}
	return fmt.Sprintf("The project's .env file names %s, but this kernel started without that file. The user can turn it on in Easel: "+
		"Read .env file, in the project's Python menu (without a window, --dotenv). Then restart the session. Do not print its values.", name)
}

var (
	missingFile = regexp.MustCompile(`No such file or directory: b?['"](.+)['"]$|^(?:File )?['"]?(\S+?)['"]? (?:does not exist|not found)`)
	absolute    = regexp.MustCompile(`^(?:[/\\~]|[A-Za-z]:[/\\]|\w+://)`)
)

// where says from where relative paths are read. A path on the disk or on the web does not
// depend on that.
func (f failedRun) where(message string) string {
	var file string
	if m := missingFile.FindStringSubmatch(message); m != nil {
		file = cmp.Or(m[1], m[2])
	}
	switch {
	case strings.Contains(f.Error.Traceback, "_execute_child") && file != "" && !strings.ContainsAny(file, `/\`):
		return fmt.Sprintf("subprocess finds no program %s in PATH. A program of a Python package may run as [sys.executable, \"-m\", %q].", file, file)
	case strings.HasPrefix(file, "~"):
		return "Python does not expand ~: use os.path.expanduser()."
	case absolute.MatchString(file):
		return ""
	default:
		dir := f.folder()
		if dir == "" {
			return adviseWhere
		}
		said := fmt.Sprintf("Relative paths start at the kernel's working directory, %s.", dir)
		if from := filepath.Join(f.directory, file); !f.away && f.directory != "" && f.directory != dir && file != "" && exists(from) {
			return said + fmt.Sprintf(" It was started in %s, which has this file: use %q, or os.chdir() back.", f.directory, from)
		}
		if f.own {
			return said + " If the file is in the user's project, session_create with directory works there."
		}
		return said + " Use os.listdir() or file_list to find the file."
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

var noFileInR = regexp.MustCompile(`cannot open (?:the connection|file '([^']*)')|['‘]?([^'’\s]+)['’]? does not exist in current working directory`)

// adviceInR is advice for R, whose errors have no types.
func (f failedRun) adviceInR() string {
	message := f.Error.Message
	is := language.Of(f.language)
	if pkg := is.Missing(message); pkg != "" {
		return fmt.Sprintf("%s installs it for this kernel; then call library(%s) again.", is.Install(pkg), pkg)
	}
	m := noFileInR.FindStringSubmatch(message)
	if m == nil {
		return is.Where(f.code, message, f.Error.Traceback)
	}
	if absolute.MatchString(cmp.Or(m[1], m[2])) {
		return ""
	}
	if dir := f.folder(); dir != "" {
		return fmt.Sprintf("Relative paths start at the kernel's working directory, %s. Use list.files() or file_list to find the file.", dir)
	}
	return adviseWhereR
}

// startsProgram matches code that starts another program.
var startsProgram = regexp.MustCompile(`(?m)\bsubprocess\.|\bos\.(?:system|popen)\(|\b(?:Popen|check_output|check_call)\(|^%%(?:bash|sh|script|cmd)\b`)

// unreachableCRAN is a warning of R, after which install.packages() goes on without an error.
const unreachableCRAN = "unable to access index for repository"

// unshown is what IRkernel writes to stderr when it cannot display the value of a line.
const unshown = "ERROR while rich displaying an object: "

// noInputLeft is what a Python program prints that found no input.
const noInputLeft = "EOFError: EOF when reading a line"

// An adviser says how to go on after an execution that has ended.
type adviser struct {
	env     *Environment
	log     *slog.Logger
	kernel  *Inquiry
	outputs *outputs
	managed bool            // Easel runs the kernel's server
	told    map[string]bool // the modules whose absence was explained, and environ
}

// hint returns how to go on after u; "" if that is clear.
func (a *adviser) hint(u *queuedExecution) string {
	a.outputs.flushText()
	if font := a.font(u); font != "" {
		return font
	}
	code, said := u.x.Record().Code, u.x.Sent("stdout")+u.x.Sent("stderr")
	if strings.Contains(said, noInputLeft) && (startsProgram.MatchString(code) || execution.CallsShell(code)) {
		return adviseStdin
	}
	var box *sandbox.Start
	if a.kernel.link.sandboxed {
		if s, ok := a.kernel.link.Client.Sandbox(a.kernel.link.KernelID()); ok {
			box = &s
		}
		if box != nil && !box.Network && unreachable(u.failure, said) {
			return adviseNetwork
		}
	}
	switch {
	case u.quits && language.Of(a.kernel.link.Info().Language).Quits:
		return adviseQuit
	case u.failure == nil && strings.Contains(said, unreachableCRAN):
		return adviseCRAN
	case u.failure == nil && strings.Contains(said, unshown):
		return adviseUnshown
	}
	if u.failure != nil && u.failure.Type == moduleNotFound {
		module := missing(u.failure.Message)
		if a.told[module] {
			return ""
		}
		a.told[module] = true
	}
	if u.failure != nil && u.failure.Type == "KeyError" && strings.Contains(u.failure.Traceback, environ) {
		if a.told[environ] {
			return ""
		}
		a.told[environ] = true
	}
	sess := a.kernel.session.Stored()
	return failedRun{
		Error: u.failure, code: code, language: strings.ToLower(a.kernel.link.Info().Language), environment: sess.Environment,
		directory: sess.Directory, away: sess.Away(),
		own:     a.managed && sess.Environment == "" && sess.KernelName != managed.EaselKernel,
		sandbox: box,
		folder:  func() string { return inspect.Folder(a.kernel.link.KernelID()) },
	}.advice()
}

// font returns a hint with a font that has the characters that matplotlib drew as
// boxes in u, or "" if none were missing. It asks the kernel for the font, only for code
// that Easel ran, after its end.
func (a *adviser) font(u *queuedExecution) string {
	if !u.own || !a.kernel.link.answers() {
		return ""
	}
	missing := inspect.MissingGlyphs(u.x.Sent("stderr"))
	if len(missing) == 0 {
		return ""
	}
	hint, err := inspect.FindFont(a.env.Tasks.Context(), a.kernel, missing, a.env.Fonts, a.env.Timing.Fonts)
	if err != nil {
		a.log.Info("asking for a font", "err", err)
	}
	return hint
}
