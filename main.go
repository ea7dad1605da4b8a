// Easel lets an AI assistant run code in Jupyter kernels and shows the user every plot
// as it is drawn.
//
// This file reads the command line and connects the parts. ARCHITECTURE.md describes
// them.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"easel/assets"
	"easel/eventbus"
	"easel/internal/mask"
	"easel/internal/system"
	"easel/jupyter/remote"
	"easel/jupyter/sandbox"
	"easel/mcphost"
	"easel/mcphost/bridge"
	"easel/mcphost/catalog"
	"easel/mcphost/demo"
	"easel/mcphost/handover"
	"easel/mcphost/instance"
	"easel/mcphost/launch"
	"easel/mcphost/tool"
	"easel/ui/core"
	"easel/ui/core/doctor"
	"easel/ui/core/settings"
	"easel/ui/core/state"
	"easel/ui/window/asking"
	"easel/ui/window/desktop"
	"easel/ui/window/i18n"
	"easel/ui/window/memory"
)

func main() { os.Exit(run()) }

func run() int {
	if len(os.Args) > 1 && os.Args[1] == sandbox.Command {
		return sandbox.Main(os.Args[2:])
	}
	leave := system.AttachConsole()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == remote.Command {
		return serveProjects(ctx, os.Args[2:])
	}
	o, err := settings.Parse(os.Args[1:], os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "easel:", err)
		return 2
	}
	settings.ForgetTokens()
	ctx, hangUp := context.WithCancelCause(ctx)
	defer hangUp(nil)
	go onHangUp(ctx, func() { hangUp(errQuit) })
	switch o.Command {
	case "help":
		fmt.Print(settings.Help(o.Topic))
	case "version":
		fmt.Println(versionLine())
	case "doctor":
		return runDoctor(ctx, o)
	case "env":
		if !o.List {
			return changeEnvironment(ctx, o)
		}
		err = doctor.ListEnvironments(ctx, os.Stdout, o)
	case "mcp":
		err = runBridge(ctx, o)
	case "demo":
		err = runDemo(ctx, o)
	case "questions":
		err = runQuestions(ctx, o)
	case "assistants":
		err = runAssistants(ctx, o)
	case "library":
		err = runLibrary(ctx, o)
	case "log":
		err = runLog(ctx, o)
	case "uninstall":
		err = runUninstall(ctx, o)
	default:
		err = runApp(ctx, o, leave)
	}
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errQuit) {
		fmt.Fprintln(os.Stderr, "easel:", err)
		if o.Command == "" {
			explain(o, err)
		}
		return 1
	}
	return 0
}

// runDoctor checks Easel, or writes a report for others, and returns the exit code.
func runDoctor(ctx context.Context, o settings.Options) int {
	cfg := doctor.Config{
		Version: version, DataDir: o.DataDir, Port: o.Port, JupyterURL: o.JupyterURL, JupyterToken: o.JupyterToken,
		Headless:   o.Headless || !hasWindow,
		Wheelhouse: o.Wheelhouse,
		Font:       assets.FontJPName,
	}
	if o.Report {
		return doctor.Report(ctx, os.Stdout, cfg, reportMask(o))
	}
	return doctor.Run(ctx, os.Stdout, cfg)
}

// changeEnvironment adds packages to Easel's own environment, saves them, or shows it, and returns the exit code.
func changeEnvironment(ctx context.Context, o settings.Options) int {
	if len(o.Add) > 0 {
		return doctor.AddPackages(ctx, os.Stdout, o.DataDir, o.Add)
	}
	return doctor.Environment(ctx, os.Stdout, doctor.Config{DataDir: o.DataDir, Wheelhouse: o.Wheelhouse}, o.Export)
}

// onHangUp calls quit when the terminal is closed, until ctx ends. Under nohup, nothing happens.
func onHangUp(ctx context.Context, quit func()) {
	if signal.Ignored(syscall.SIGHUP) {
		return
	}
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	defer signal.Stop(c)
	select {
	case <-c:
		quit()
	case <-ctx.Done():
	}
}

// Deadlines for quitting; what is not done by then is abandoned.
const (
	quitCalls   = 5 * time.Second  // for running calls and the bus
	quitJupyter = 15 * time.Second // for kernels, the managed Jupyter and the library
	quitWindow  = 5 * time.Second  // for the window; GLFW may hang if the input method's server has died
)

// An easel is the running app: core and host, with or without a window.
type easel struct {
	*core.Core
	options  settings.Options
	bus      *eventbus.Bus
	log      *slog.Logger
	mask     *mask.Mask // hides the tokens in results and logs
	mine     *instance.Instance
	started  time.Time
	host     *host
	clients  atomic.Pointer[mcphost.Host] // host, as soon as it exists; any goroutine may ask it
	served   chan error                   // what Serve returned
	handover string                       // where a second start asks for the window; "" if it cannot
	second   sync.WaitGroup               // serves second starts until the app ends
	show     atomic.Pointer[func()]       // brings the window to the front; nil if there is none
	pathed   atomic.Pointer[func(string)] // shows a folder or picture in the window; nil if there is none
	asked    chan openRequest             // requests to open a window, if there is none
	opening  chan struct{}                // closed when that window is opened
	stop     context.CancelCauseFunc      // asks the app to quit
}

var errQuit = errors.New("quit")

// endPatience is how long a start waits for an Easel that is ending: its kernels need time.
const endPatience = 20 * time.Second

// runApp runs the app until it is quit. If Easel is already running, it shows that
// one's window instead. When the window opens, runApp calls leave, which leaves the
// terminal.
func runApp(ctx context.Context, o settings.Options, leave func()) error {
	mine, running, err := instance.LockOrFind(ctx, o.DataDir, endPatience, func() {
		fmt.Fprintln(os.Stderr, "Waiting for another Easel that starts or ends.")
	})
	if err != nil {
		return err
	}
	if mine == nil {
		return showRunning(ctx, o, running)
	}
	defer mine.Close() //nolint:errcheck // the lock goes with the process
	secrets := secretsOf(o)
	log, closeLog, err := core.OpenLog(o, secrets)
	if err != nil {
		return err
	}
	defer closeLog() //nolint:errcheck // each line is written at once
	if mine.Opened != 0 {
		log.WarnContext(ctx, "other users could open the data directory; its mode is now 0700", "dir", o.DataDir, "mode", mine.Opened.String())
		fmt.Fprintf(os.Stderr, "Other users could open %s. Its mode is now 0700.\n", o.DataDir)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	memory.Tune() // before the window is created
	e := &easel{
		options: o, bus: eventbus.New(), log: log, mask: secrets, mine: mine, started: time.Now().UTC(),
		served: make(chan error, 1), stop: stop, asked: make(chan openRequest), opening: make(chan struct{}),
	}
	headless := !hasWindow || o.Headless || !desktop.Here().Exists()
	if err := e.open(ctx, headless); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "Easel %s listens at %s/mcp\n", version, e.host.URL())
	if e.Store.Snapshot().Settings.ChooseAccess {
		fmt.Fprintf(os.Stderr, "Assistants may only read: settings.json or assistants.json could not be read. Choose in the window, or set access in %s and start Easel again.\n", filepath.Join(o.DataDir, "settings.json"))
	}
	show := func() {
		if err := e.openPath(ctx, o.Open); err != nil {
			fmt.Fprintln(os.Stderr, "easel:", tool.Explain(tool.AsError(err)))
		}
	}
	if !headless {
		leave()
		return e.runWindow(ctx, o.Hidden, show)
	}
	show()
	fmt.Fprintf(os.Stderr, "No window: %s. Everything else works.\n", noWindow(o))
	return e.runHeadless(ctx)
}

// noWindow says why there is no window.
func noWindow(o settings.Options) string {
	switch {
	case !hasWindow:
		return "this is the program without one"
	case o.Headless:
		return "--headless was given"
	}
	return "there is no display"
}

// open opens and starts the core and the host. The host listens before Jupyter and the
// window are ready, so that clients can connect immediately.
func (e *easel) open(ctx context.Context, headless bool) (err error) {
	c := core.Config{
		Options: e.options, Bus: e.bus, Log: e.log, Mask: e.mask, Window: state.WindowNone,
		Fonts: writeFonts(e.options, e.log), Untitled: i18n.Every("gallery.untitled"), Words: i18n.PageWords, Form: asking.Form,
		Programs: programs(),
	}
	c.Connected, c.ShowWindow = e.connected, e.showWindow
	if hasWindow {
		c.OpenWindow = e.openWindow
	}
	if !headless {
		c.Window = state.WindowStarting
	}
	if e.Core, err = core.Open(ctx, c); err != nil {
		return err
	}
	if e.host, err = e.openHost(ctx); err == nil {
		e.clients.Store(e.host.Host)
		e.takeOver(ctx)
		err = e.publish()
	}
	if err != nil {
		return errors.Join(err, e.Close(ctx))
	}
	e.Start(ctx) // before the host serves: it records the log of calls
	go func() { e.served <- e.host.Serve(context.WithoutCancel(ctx)) }()
	return nil
}

// takeOver shows the window when a second start asks for it, until ctx ends.
func (e *easel) takeOver(ctx context.Context) {
	l, err := handover.Listen(e.options.DataDir)
	if err != nil {
		e.log.ErrorContext(ctx, "a second start of Easel cannot show the window", "cause", err)
		return
	}
	e.handover = l.Address
	e.second.Go(func() {
		l.Serve(ctx, e.log, handover.Handlers{Transfer: e.transfer, Show: func(ctx context.Context, in catalog.ShowWindowIn) error {
			if in.Open == "" || !in.Hidden || len(in.Env) > 0 { // otherwise it needs no window
				if _, err := catalog.ShowWindow.Ask(ctx, e.bus, in); err != nil {
					return err
				}
			}
			return e.openPath(ctx, in.Open)
		}})
	})
}

// openPath shows a folder or a picture on disk for the user; "" is none. If there is a window, it
// says what is wrong with the path.
func (e *easel) openPath(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	if open := e.pathed.Load(); open != nil {
		(*open)(path)
		return nil
	}
	ctx = tool.WithCaller(ctx, tool.Caller{Transport: tool.Window})
	_, err := catalog.OpenFolder.Ask(ctx, e.bus, catalog.OpenFolderIn{Path: path})
	return err
}

// quit stops the parts in an order in which none waits for another: new calls, running
// calls, kernels, the library.
func (e *easel) quit() error {
	calls, cancel := context.WithTimeout(context.Background(), quitCalls)
	defer cancel()
	err := errors.Join(e.host.Shutdown(calls), <-e.served, e.bus.Close(calls))
	rest, cancel := context.WithTimeout(context.Background(), quitJupyter)
	defer cancel()
	err = errors.Join(err, e.Close(rest))
	e.second.Wait()
	return err
}

// showRunning makes the running Easel show its window, or open one on this display.
func showRunning(ctx context.Context, o settings.Options, r instance.Runtime) error {
	fmt.Fprintf(os.Stderr, "Easel already runs at %s (process %d).\n", r.URL, r.PID)
	if o.Headless && o.Open == "" {
		return nil
	}
	if r.Handover == "" {
		return fmt.Errorf("the Easel that runs (version %s) cannot be asked for its window; quit it, then start Easel again", r.Version)
	}
	in := catalog.ShowWindowIn{Env: desktop.Here(), Hidden: o.Hidden, Open: o.Open}
	if o.Open != "" && (o.Headless || !desktop.Here().Exists()) {
		in.Env, in.Hidden = nil, true // the running Easel shows it in the window that it has, if any
	}
	return handover.Send(ctx, r.Handover, in)
}

// runBridge serves MCP over stdin and stdout for the running app. stdout carries
// only protocol messages.
func runBridge(ctx context.Context, o settings.Options) error {
	secrets, own := secretsOf(o), ""
	if strings.HasPrefix(o.Token, tool.AssistantToken) { // it is not for an Easel that the bridge starts
		own, o.Token = o.Token, ""
		secrets.Add(mask.Client, own)
	}
	log, closeLog, err := core.OpenLog(o, secrets)
	if err != nil {
		return err
	}
	defer closeLog() //nolint:errcheck // each line is written at once
	workspace, named := tool.Here()
	return bridge.Run(ctx, bridge.Config{
		DataDir: o.DataDir, Toolsets: o.Toolsets, In: os.Stdin, Out: os.Stdout, Log: log.With("part", "bridge"), Mask: secrets,
		Workspace: workspace, Named: named, Token: own,
		Start: func(ctx context.Context) (instance.Runtime, error) { return launch.Ensure(ctx, launchConfig(ctx, o)) },
	})
}

// runDemo draws plots in a session of the running Easel, or of a new one.
func runDemo(ctx context.Context, o settings.Options) error {
	r, err := launch.Ensure(ctx, launchConfig(ctx, o))
	if err != nil {
		return err
	}
	return demo.Run(ctx, demo.Config{URL: r.URL, Token: r.Token, Out: os.Stdout})
}

// launchConfig returns how to start the app. Some clients remove the display from the
// environment of the servers that they start, so Before looks for it.
func launchConfig(ctx context.Context, o settings.Options) launch.Config {
	return launch.Config{
		DataDir: o.DataDir, Program: installed(ctx, o), Args: o.Args(), Env: o.Env(),
		Before: func() {
			if hasWindow && !o.Headless && !desktop.Here().Exists() {
				desktop.Find()
			}
		},
	}
}

// writeFonts writes the bundled fonts to the data directory and returns their paths,
// for the kernels' matplotlib. If that fails, it logs a warning.
func writeFonts(o settings.Options, log *slog.Logger) []string {
	paths, err := assets.WriteFonts(filepath.Join(o.DataDir, "fonts"))
	if err != nil {
		log.Warn("Japanese text in plots may be missing", "err", err)
	}
	return paths
}
