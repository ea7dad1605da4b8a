//go:build linux || freebsd || openbsd || netbsd

package tray

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/systray"

	"easel/internal/require"
	"easel/internal/wake"
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/tray/traytest"
)

// The tray's library supports one tray in the life of a process. So each test runs this
// binary again as a small app, which reads commands from its standard input and reports
// events on its standard output, one per line.

const childVar = "EASEL_TRAY_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) == "" {
		os.Exit(m.Run())
	}
	runChild(os.Stdin)
}

// An app is Fyne's test app with a tray. Like Fyne's driver, it starts and ends the
// tray.
type app struct {
	fyne.App
	start, end func()
}

var _ desktop.App = (*app)(nil)

func (a *app) SetSystemTrayMenu(*fyne.Menu)      { panic("Fyne's menu would be made over ours") }
func (a *app) SetSystemTrayIcon(r fyne.Resource) { systray.SetIcon(r.Content()) }
func (a *app) Clipboard() fyne.Clipboard         { return printedClipboard{} }
func (a *app) UniqueID() string                  { return "io.github.easel.Test" }

// A window has a close button.
type window struct {
	fyne.Window
	closed func()
}

func (w *window) SetCloseIntercept(f func()) { w.closed = f }

// SetSystemTrayWindow replaces the handlers for the close button and the tap, as Fyne's
// driver does.
func (a *app) SetSystemTrayWindow(w fyne.Window) {
	a.start, a.end = systray.RunWithExternalLoop(nil, nil)
	systray.SetTitle("Easel")
	w.SetCloseIntercept(func() { fmt.Println("Fyne's close") })
	systray.SetOnTapped(func() { fmt.Println("Fyne's tap") })
}

type printedClipboard struct{ fyne.Clipboard }

func (printedClipboard) SetContent(text string) { fmt.Println("copied " + text) }

// A loop is a UI goroutine.
type loop struct {
	mu    sync.Mutex
	queue []func()
	wake  wake.Signal
}

func (l *loop) do(f func()) {
	l.mu.Lock()
	l.queue = append(l.queue, f)
	l.mu.Unlock()
	l.wake.Notify()
}

func (l *loop) run(done <-chan struct{}) {
	for {
		l.mu.Lock()
		queue := l.queue
		l.queue = nil
		l.mu.Unlock()
		for _, f := range queue {
			f()
		}
		select {
		case <-l.wake:
		case <-done:
			return
		}
	}
}

func say(s string) func() { return func() { fmt.Println(s) } }

func runChild(in io.Reader) {
	ui, done := &loop{wake: wake.New()}, make(chan struct{})
	a := &app{App: test.NewApp()}
	w := &window{a.NewWindow(""), say("our close")}
	first := state.Snapshot{URL: "http://127.0.0.1:5149", Window: state.WindowShown, Settings: state.DefaultSettings()}
	first.Settings.Language = "en"
	store := state.NewStore(first)
	tr := New(Config{
		App: a, Window: w, Store: store, Do: ui.do, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Actions: Actions{
			Show: say("show"), CloseRequested: say("our close"), Settings: say("settings"), Connect: say("connect"), Quit: say("quit"),
			Latest: say("latest"), Interrupt: interruptInChild,
			TogglePause: func() { store.Update(func(s *state.Snapshot) { s.Paused = !s.Paused }) },
		},
		grace: time.Second,
	})
	go func() { // ends with the process
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			obey(lines.Text(), store, w, tr, ui)
		}
		close(done)
	}()
	if a.start != nil {
		a.start()
	}
	ui.run(done)
	tr.Close()
	if a.end != nil {
		a.end()
	}
	fmt.Println("ended")
}

// interruptInChild interrupts all but the session "a", whose code runs on.
func interruptInChild(sessions []string, done func(failed, runs bool)) {
	for _, id := range sessions {
		fmt.Println("interrupt " + id)
	}
	done(false, slices.Contains(sessions, "a"))
}

// scenes contains changes of the state, by name.
var scenes = map[string]func(*state.Snapshot){
	"nothing": func(s *state.Snapshot) { s.Sessions, s.Servers, s.Approvals = nil, nil, nil },
	"idle":    func(s *state.Snapshot) { s.Sessions = []state.Session{session("a", nil), session("b", nil)} },
	"running": func(s *state.Snapshot) { s.Sessions = []state.Session{session("a", nil), session("b", since(0))} },
	"both":    func(s *state.Snapshot) { s.Sessions = []state.Session{session("a", since(0)), session("b", since(0))} },
	"died":    func(s *state.Snapshot) { s.Sessions = []state.Session{dead("a")} },
	"asked": func(s *state.Snapshot) {
		s.Approvals = append(slices.Clip(s.Approvals), catalog.Approval{ApprovalID: strconv.Itoa(len(s.Approvals))})
	},
	"down":     func(s *state.Snapshot) { s.Servers = []state.Server{server("unreachable")} },
	"plot":     func(s *state.Snapshot) { s.Newest = "img" },
	"hidden":   func(s *state.Snapshot) { s.Window = state.WindowHidden },
	"shown":    func(s *state.Snapshot) { s.Window = state.WindowShown },
	"japanese": func(s *state.Snapshot) { s.Settings.Language = "ja" },
	"off":      func(s *state.Snapshot) { s.Settings.Notify = "off" },
	"always":   func(s *state.Snapshot) { s.Settings.Notify = "always" },
	"looking":  func(s *state.Snapshot) { s.Window, s.Focused = state.WindowShown, true },
	"away":     func(s *state.Snapshot) { s.Focused = false },
	"failed":   func(s *state.Snapshot) { s.Ended.Failed++ },
	"finished": func(s *state.Snapshot) { s.Ended.Long++ },
	"titles":   func(s *state.Snapshot) { s.Settings.NotifyPlots = true },
	"drawn":    func(s *state.Snapshot) { s.Ended.Long++; s.Ended.Plot = `<a href="x">R&D</a>` },
	"told":     func(s *state.Snapshot) { s.Settings.ToldTray = true },
}

func since(ago time.Duration) *state.RunningCode {
	return &state.RunningCode{ExecutionID: "x", Code: "secret = 1", Since: time.Now().Add(-ago)}
}

func session(id string, r *state.RunningCode) state.Session {
	s := state.Session{Name: "secret-" + id + ".ipynb", Running: r}
	s.SessionID, s.Status = id, "idle"
	return s
}

func dead(id string) state.Session {
	s := session(id, nil)
	s.Died = "killed: secret"
	return s
}

func server(st string) state.Server {
	var s state.Server
	s.Name, s.State = "managed", st
	return s
}

func obey(line string, store *state.Store, w *window, tr *Tray, ui *loop) {
	switch scene, ok := scenes[line]; {
	case ok:
		store.Update(scene)
	case line == "available":
		fmt.Println(line, tr.Available())
	case line == "paused":
		fmt.Println(line, store.Snapshot().Paused)
	case line == "told?":
		fmt.Println(line, store.Snapshot().Settings.ToldTray)
	case line == "close":
		ui.do(w.closed)
	default:
		panic("what is " + line)
	}
}

// A child is that app, as seen by its test.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	races string // prefix of the files with the race detector's reports
}

// start runs the app on a bus.
func start(t *testing.T, address string, env ...string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0]), races: filepath.Join(t.TempDir(), "race")}
	c.cmd.Env = append(append(os.Environ(), childVar+"=1", "DBUS_SESSION_BUS_ADDRESS="+address,
		"GORACE=exitcode=0 log_path="+c.races), env...)
	c.cmd.Stderr = os.Stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	c.out = bufio.NewReader(out)
	require.NoError(t, c.cmd.Start())
	return c
}

// tell sends commands to the app.
func (c *child) tell(commands ...string) {
	c.t.Helper()
	for _, s := range commands {
		if _, err := io.WriteString(c.in, s+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
}

// want waits for the next line from the app, which must be line.
func (c *child) want(line string) {
	c.t.Helper()
	if got := c.line(); got != line {
		c.t.Fatalf("the app told %q, want %q", got, line)
	}
}

func (c *child) line() string {
	c.t.Helper()
	read := make(chan string, 1)
	go func() { // ends with the child
		s, err := c.out.ReadString('\n')
		if err != nil {
			s = err.Error()
		}
		read <- strings.TrimSpace(s)
	}()
	select {
	case s := <-read:
		return s
	case <-time.After(traytest.Patience):
		c.t.Fatal("the app told nothing")
		return ""
	}
}

// available waits until the app reports the given availability of the tray.
func (c *child) available(want bool) {
	c.t.Helper()
	traytest.Eventually(c.t, fmt.Sprintf("available %v", want), func() bool {
		c.tell("available")
		return c.line() == fmt.Sprintf("available %v", want)
	})
}

// end closes the app, which must end by itself and without an error.
func (c *child) end() {
	c.t.Helper()
	require.NoError(c.t, c.in.Close())
	c.want("ended")
	if err := c.cmd.Wait(); err != nil {
		c.t.Error(err)
	}
	c.raced()
}

// raced fails the test if the app had a data race. It ignores one in systray's
// GetLayout, about the menu's version.
func (c *child) raced() {
	c.t.Helper()
	files, err := filepath.Glob(c.races + ".*")
	require.NoError(c.t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(c.t, err)
		for report := range strings.SplitSeq(string(raw), "==================") {
			if strings.Contains(report, "easel/") {
				c.t.Error(report)
			}
		}
	}
}
