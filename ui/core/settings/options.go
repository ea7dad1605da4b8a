package settings

import (
	"cmp"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"easel/mcphost/tool"
	"easel/ui/core/roster"
)

// Options contains the values from the command line and the environment. A zero value means
// that neither has one, so that the settings file or the default applies.
type Options struct {
	Command string // "" or one of Commands
	Open    string // of the app: the directory or picture to show, absolute; "" for none

	Port                     int
	Token                    string
	DataDir, RootDir         string
	PortBy, RootDirBy        string // flag or variable that Port and RootDir come from; "" if none
	Projects                 string // directories in which assistants may work without a question; see SplitProjects
	JupyterURL, JupyterToken string
	Lang, LogLevel           string
	Wheelhouse               string   // made by `easel env export`; packages are installed from it
	Export                   string   // of the command env: where it saves the packages; "" if it does not
	Add                      []string // of the command env: packages to install
	List                     bool     // of the command env: it lists a project's environments
	JSON                     bool     // of the commands env and assistants
	Report                   bool     // of the command doctor: it writes what others need, without secrets
	Directory                string   // in that project; "" for the working directory
	Hidden, Headless         bool
	Sandbox                  bool   // kernels in Projects run in a sandbox
	DotEnv                   bool   // kernels in Projects have the variables of their .env files
	Toolsets                 string // for the command mcp
	Library, File            string // of the command library: export or import, and the file, absolute
	Log                      LogOptions
	Assistants               roster.Change // of the command assistants
	Topic                    string        // of the command help: one of Commands; "" for all of them
	Yes, All, KeepLibrary    bool          // for the command uninstall
}

// Usage is the output of `easel help`.
//
//go:embed usage.txt
var Usage string

//go:embed help/*.txt
var help embed.FS

// Help is the output of `easel help TOPIC`: of one of Commands, or Usage for "".
func Help(topic string) string {
	text, err := help.ReadFile("help/" + topic + ".txt")
	if err != nil {
		return Usage
	}
	return string(text)
}

// Commands lists the commands other than the app itself.
var Commands = []string{"mcp", "demo", "doctor", "env", "assistants", "questions", "library", "log", "uninstall", "version", "help"}

// ErrUsage is the error for an invalid command line. Errors of Parse match it with errors.Is.
var ErrUsage = errors.New("usage")

// Parse parses the command line, without the program's name, and the environment.
func Parse(args []string, getenv func(string) string) (Options, error) {
	var o Options
	operands, args, err := o.takeCommand(args)
	if err != nil {
		return o, err
	}
	first := firstOf(getenv)
	fs := flag.NewFlagSet("easel", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	port := fs.String("port", first("EASEL_PORT"), "")
	fs.StringVar(&o.Token, "token", first("EASEL_TOKEN"), "")
	fs.StringVar(&o.DataDir, "data-dir", first("EASEL_DATA_DIR"), "")
	fs.StringVar(&o.RootDir, "root-dir", first("EASEL_ROOT_DIR"), "")
	o.Projects = first("EASEL_PROJECTS")
	fs.Func("project", "", o.addProject)
	for _, name := range []string{"jupyter-url", "server"} { // two names of one flag
		fs.StringVar(&o.JupyterURL, name, first("EASEL_JUPYTER_URL", "EASEL_SERVER", "JUPYTER_SERVER_URL"), "")
	}
	fs.StringVar(&o.JupyterToken, "jupyter-token", first("EASEL_JUPYTER_TOKEN", "JUPYTER_TOKEN"), "")
	fs.StringVar(&o.Wheelhouse, "wheelhouse", first("EASEL_WHEELHOUSE"), "")
	fs.StringVar(&o.Lang, "lang", first("EASEL_LANG"), "")
	fs.StringVar(&o.LogLevel, "log-level", first("EASEL_LOG_LEVEL"), "")
	fs.BoolVar(&o.Hidden, "hidden", false, "")
	fs.BoolVar(&o.Headless, "headless", !slices.Contains([]string{"", "0", "false"}, first("EASEL_HEADLESS")), "")
	fs.BoolVar(&o.Sandbox, "sandbox", !slices.Contains([]string{"", "0", "false"}, first("EASEL_SANDBOX")), "")
	fs.BoolVar(&o.DotEnv, "dotenv", !slices.Contains([]string{"", "0", "false"}, first("EASEL_DOTENV")), "")
	fs.StringVar(&o.Toolsets, "toolsets", "", "")
	fs.BoolVar(&o.JSON, "json", false, "")
	fs.BoolVar(&o.Report, "report", false, "")
	fs.BoolVar(&o.Yes, "yes", false, "")
	fs.BoolVar(&o.All, "all", false, "")
	fs.BoolVar(&o.KeepLibrary, "keep-library", false, "")
	o.Log.flags(fs)
	o.assistantFlags(fs)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return Options{Command: "help", Topic: o.Command}, nil
		}
		return o, usageError("%s; `easel help` lists the flags", flagProblem(err))
	}
	if slices.Contains([]string{"", "demo", "assistants"}, o.Command) && strings.HasPrefix(o.Token, tool.AssistantToken) {
		return o, usageError("EASEL_TOKEN is the token of a client, for easel mcp; start Easel itself without it")
	}

	from := origins(fs, getenv)
	o.PortBy, o.RootDirBy = from["port"], from["root-dir"]
	if err := o.fits(append(operands, fs.Args()...)); err != nil {
		return o, err
	}
	if o.Command == "version" || o.Command == "help" {
		return o, nil // they need no directory, and a service may have no home
	}
	return o.checked(*port)
}

// firstOf returns a function that returns the first value that is set of several variables.
func firstOf(getenv func(string) string) func(names ...string) string {
	return func(names ...string) string {
		for _, n := range names {
			if v := getenv(n); v != "" {
				return v
			}
		}
		return ""
	}
}

// takeCommand takes the command from the arguments, and what it is about: the command help that of another
// one. Operands come before or after the flags. Without a command, they are what the app shows.
func (o *Options) takeCommand(args []string) (operands, rest []string, err error) {
	next := func() bool { return len(args) > 0 && !strings.HasPrefix(args[0], "-") }
	switch {
	case len(args) == 1 && args[0] == "--version": // which people try first
		o.Command, args = "version", nil
	case next() && isPath(args[0]):
		operands, args = args[:1], args[1:]
	case next():
		o.Command, err = command(args[0])
		args = args[1:]
	}
	if err == nil && o.Command == "help" && next() {
		o.Topic, err = command(args[0])
		args = args[1:]
	}
	for (o.Command == "env" || o.Command == "library") && next() {
		operands, args = append(operands, args[0]), args[1:]
	}
	return operands, args, err
}

// command returns the one of Commands with a name.
func command(name string) (string, error) {
	if name == "stdio" { // the contract's alias
		name = "mcp"
	}
	if !slices.Contains(Commands, name) {
		return "", usageError("unknown command %q, and there is no such folder or picture; the commands are %s", name, strings.Join(Commands, ", "))
	}
	return name, nil
}

// origins returns by flag which flag or variable its value is from.
func origins(fs *flag.FlagSet, getenv func(string) string) map[string]string {
	from := make(map[string]string)
	for name, variable := range map[string]string{"port": "EASEL_PORT", "root-dir": "EASEL_ROOT_DIR"} {
		if getenv(variable) != "" {
			from[name] = variable
		}
	}
	fs.Visit(func(f *flag.Flag) {
		from[f.Name] = "--" + f.Name
		if f.Value.String() == "" { // the same as without the flag
			delete(from, f.Name)
		}
	})
	return from
}

// fits takes the arguments that are no flags, and returns an error if one of them or a flag does
// not belong to the command.
func (o *Options) fits(operands []string) error {
	switch {
	case o.Command == "env" && len(operands) == 2 && operands[0] == "export":
		o.Export = operands[1]
	case o.Command == "env" && len(operands) > 1 && operands[0] == "add":
		o.Add = operands[1:]
	case o.Command == "env" && len(operands) > 0 && len(operands) < 3 && operands[0] == "list":
		o.List, o.Directory = true, strings.Join(operands[1:], "")
	case o.Command == "library" && len(operands) == 2 && (operands[0] == "export" || operands[0] == "import"):
		o.Library, o.File = operands[0], operands[1]
	case o.Command == "library":
		return usageError("library takes export or import, and a file; `easel help library` describes it")
	case o.Command == "env" && len(operands) > 0:
		return usageError("env takes no argument, or list and a directory, or add and packages, or export and a path; `easel help` describes the command line")
	case o.Command == "" && len(operands) == 1:
		return o.shows(operands[0])
	case o.Command == "" && len(operands) > 1:
		return usageError("Easel shows one folder at a time: give one of %q", operands)
	case len(operands) > 0:
		return usageError("unexpected argument %q; `easel help` describes the command line", operands[0])
	}
	if o.JSON && !o.List && o.Command != "assistants" && o.Command != "questions" {
		return usageError("--json is a flag of `easel env list`, `easel assistants` and `easel questions`")
	}
	if o.Report && o.Command != "doctor" {
		return usageError("--report is a flag of `easel doctor`")
	}
	if err := cmp.Or(o.Log.check(o.Command), o.checkAssistants()); err != nil {
		return err
	}
	if o.Command != "uninstall" && (o.Yes || o.All || o.KeepLibrary) {
		return usageError("--yes, --all and --keep-library are flags of `easel uninstall`")
	}
	if o.All && o.KeepLibrary {
		return usageError("--all deletes the library, and --keep-library keeps it: give one of them")
	}
	if _, err := tool.ParseToolsets(o.Toolsets); err != nil {
		return usageError("%s", strings.TrimSuffix(tool.AsError(err).Detail, "."))
	}
	return nil
}

// usageError returns an ErrUsage with a message of one line.
func usageError(format string, args ...any) error {
	return &lineError{fmt.Sprintf(format, args...)}
}

// A lineError is an ErrUsage whose message is only the line.
type lineError struct{ line string }

func (e *lineError) Error() string   { return e.line }
func (e *lineError) Is(t error) bool { return t == ErrUsage }

// flagProblem returns the message of an error of package flag, with two dashes before the
// flag.
func flagProblem(err error) string {
	text, name, ok := strings.Cut(err.Error(), ": -")
	switch {
	case ok && text == "flag provided but not defined":
		return "unknown flag --" + name
	case ok && text == "flag needs an argument":
		return "--" + name + " needs a value"
	default:
		return err.Error()
	}
}

// checked validates the values, and makes the directories absolute.
func (o Options) checked(port string) (Options, error) {
	if port != "" {
		n, err := strconv.Atoi(port)
		if err != nil || n < 1 || n > 65535 {
			return o, usageError("the port %q is not a number from 1 to 65535", port)
		}
		o.Port = n
	}
	if o.Lang != "" && o.Lang != "en" && o.Lang != "ja" {
		return o, usageError("the language %q is not en or ja", o.Lang)
	}
	if o.LogLevel != "" && !slices.Contains([]string{"debug", "info", "warn", "error"}, o.LogLevel) {
		return o, usageError("the log level %q is not debug, info, warn or error", o.LogLevel)
	}
	if o.DataDir == "" {
		dir, err := DefaultDataDir()
		if err != nil {
			return o, err
		}
		o.DataDir = dir
	}
	var err error
	if o.Projects, err = absolute(o.Projects); err != nil {
		return o, err
	}
	if o.DataDir, err = filepath.Abs(o.DataDir); err != nil {
		return o, err
	}
	if o.File != "" {
		if o.File, err = filepath.Abs(o.File); err != nil {
			return o, err
		}
	}
	if o.Wheelhouse != "" {
		if o.Wheelhouse, err = filepath.Abs(o.Wheelhouse); err != nil {
			return o, err
		}
	}
	if o.RootDir != "" {
		o.RootDir, err = filepath.Abs(o.RootDir)
	}
	return o, err
}

// addProject adds the value of a flag to the projects.
func (o *Options) addProject(dir string) error {
	if len(SplitProjects(dir)) > 1 {
		return fmt.Errorf("a directory in --project must not contain %q", filepath.ListSeparator)
	}
	o.Projects += string(filepath.ListSeparator) + dir
	return nil
}

// isAway reports whether a project is the address of one on another machine: ssh://HOST/PATH.
func isAway(project string) bool { return strings.HasPrefix(project, "ssh://") }

// SplitProjects splits a list of projects, which is separated like PATH. The colons in the
// address of another machine separate nothing.
func SplitProjects(list string) (all []string) {
	for list != "" {
		host := 0
		if isAway(list) {
			host = len("ssh://")
			if i := strings.IndexByte(list[host:], '/'); i >= 0 {
				host += i
			}
		}
		end := strings.IndexRune(list[host:], filepath.ListSeparator)
		if end < 0 {
			return append(all, list)
		}
		all, list = append(all, list[:host+end]), list[host+end+1:]
	}
	return all
}

// absolute makes the directories of a list like PATH absolute, and leaves out empty ones.
func absolute(list string) (string, error) {
	dirs := slices.DeleteFunc(SplitProjects(list), func(dir string) bool { return dir == "" })
	for i, dir := range dirs {
		if isAway(dir) {
			continue
		}
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		dirs[i] = abs
	}
	return strings.Join(dirs, string(filepath.ListSeparator)), nil
}

// DefaultDataDir returns Easel's directory in the platform's directory for application data.
func DefaultDataDir() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no home directory: give --data-dir: %w", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "Easel"), nil
	case "windows":
		if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "Easel"), nil
		}
		return filepath.Join(home, "AppData", "Local", "Easel"), nil
	default:
		if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "easel"), nil
		}
		return filepath.Join(home, ".local", "share", "easel"), nil
	}
}
