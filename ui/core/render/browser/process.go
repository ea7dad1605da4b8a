package browser

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	devpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"easel/ui/core/render"
	"easel/ui/core/render/page"
)

const (
	startLimit = 30 * time.Second // timeout for the browser's start, on a busy machine
	writeLimit = 10 * time.Second // timeout for writing a message to the browser
)

// A process is a running browser.
type process struct {
	*pipe
	pid     int
	out     *os.File
	figure  atomic.Pointer[figure] // being drawn; nil: none
	tabs    sync.Map               // target.SessionID → *tab: those that are open
	paused  chan event             // events that answer has to answer
	done    chan struct{}          // closed when its processes and its profile are gone
	once    sync.Once
	killing chan struct{} // closed by kill
}

// start starts a browser in the first way that works on this machine.
func start(ctx context.Context, program string, e *Engine) (*process, error) {
	var first error
	for _, w := range e.waysNow() {
		p, err := startIn(ctx, program, w, e)
		if err == nil {
			e.way = &w
			e.log.DebugContext(ctx, "the browser for figures has started", slog.String("program", program), slog.Int("pid", p.pid),
				slog.String("way", w.name))
			return p, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e.log.DebugContext(ctx, "the browser for figures did not start", slog.String("way", w.name), slog.Any("error", err))
		if first == nil || !w.isolated {
			first = err
		}
	}
	e.way = nil
	return nil, &render.UnavailableError{
		Reason: "the browser " + program + " does not start (" + first.Error() + ")",
		Remedy: startRemedy(first.Error()),
	}
}

func startRemedy(message string) string {
	if strings.Contains(strings.ToLower(message), "sandbox") {
		return "allow unprivileged user namespaces on this system: a browser that draws figures must have its sandbox"
	}
	return "check that it starts by itself, or install another Chrome, Edge or Chromium"
}

func startIn(ctx context.Context, program string, w way, e *Engine) (*process, error) {
	profile, err := newProfile(e.config.Dir, w)
	if err != nil {
		return nil, err
	}
	fonts, err := addFonts(profile.path, e.config.FontDirs, w)
	if err != nil { // characters may be missing
		e.log.WarnContext(ctx, "the browser does not get Easel's fonts", "err", err)
	}
	toBrowser, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, profile.remove())
	}
	in, fromBrowser, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, toBrowser.Close(), out.Close(), profile.remove())
	}
	//nolint:gosec,noctx // the user's browser; it outlives the call, and kill ends it
	cmd := exec.Command(program, append(arguments(profile.path, e.open), e.config.arguments...)...)
	cmd.Env = append(environment(profile.path, w), fonts...)
	cmd.Dir = profile.path
	tail := new(tail)
	cmd.Stderr = tail
	cmd.WaitDelay = 2 * time.Second
	w.prepare(cmd, toBrowser, fromBrowser)

	p := &process{out: out, paused: make(chan event, 1<<14), done: make(chan struct{}), killing: make(chan struct{})}
	p.pipe = newPipe(deadlineFile{out}, p.report)
	started := make(chan error)
	go p.own(cmd, started, profile, in)
	err = <-started
	_ = toBrowser.Close()
	_ = fromBrowser.Close()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close(), profile.remove())
	}
	go p.read(in)
	go p.answer(e.libraries)
	if err := p.greet(ctx); err != nil {
		p.stop()
		return nil, tail.explain(err)
	}
	return p, nil
}

// own starts the browser, waits for its end and cleans up. Linux kills the browser when the
// thread that started it ends (Pdeathsig), so own locks its goroutine to that thread.
func (p *process) own(cmd *exec.Cmd, started chan<- error, profile profile, in io.Closer) {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	p.pid = cmd.Process.Pid
	started <- nil
	ended := make(chan struct{})
	go func() {
		select {
		case <-p.killing:
		case <-p.gone: // it has closed its pipe: it is ending, or broken
		case <-ended:
		}
		killAll(p.pid, cmd.Process)
	}()
	_ = cmd.Wait()
	close(ended)
	killAll(p.pid, cmd.Process)
	_ = p.out.Close()
	_ = in.Close()
	<-p.gone
	_ = profile.remove()
	close(p.done)
}

// kill begins to kill the browser and returns immediately.
func (p *process) kill() { p.once.Do(func() { close(p.killing) }) }

// stop kills the browser, and waits until its processes and its profile are gone.
func (p *process) stop() {
	p.kill()
	<-p.done
}

// ended reports whether the browser has ended or is being killed.
func (p *process) ended() bool {
	select {
	case <-p.gone:
		return true
	case <-p.killing:
		return true
	default:
		return false
	}
}

// greet waits for the browser's first answer, and turns on the interception of requests.
func (p *process) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	s := session{pipe: p.pipe, ctx: ctx}
	if _, err := call(s, browser.GetVersion, cdp.Empty{}); err != nil {
		return err
	}
	return do(s, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*"}}})
}

// report handles an event, on read's goroutine.
func (p *process) report(e event) {
	if e.Method == fetch.RequestPaused.Method || e.Method == devpage.JavascriptDialogOpening.Method {
		select {
		case p.paused <- e:
		default: // too many; the figure gets no answer, and times out
		}
		return
	}
	if t, ok := p.tabs.Load(target.SessionID(e.Session)); ok {
		t.(*tab).report(e)
	}
}

// figureOf returns the figure that a frame belongs to: the one that is being drawn, or nil
// if the frame is the page of another tab.
func (p *process) figureOf(frame cdp.FrameID) *figure {
	f := p.figure.Load()
	p.tabs.Range(func(_, value any) bool {
		if t := value.(*tab); t.page == target.ID(frame) {
			f = t.figure.Load()
			return false
		}
		return true
	})
	return f
}

// answer answers paused requests and dialogs until the browser ends.
func (p *process) answer(libraries *page.Libraries) {
	for {
		select {
		case <-p.gone:
			return
		case e := <-p.paused:
			if e.Method == devpage.JavascriptDialogOpening.Method {
				_, _, _ = p.send(e.Session, devpage.HandleJavaScriptDialog.Method, devpage.HandleJavaScriptDialogParams{Accept: true})
				continue
			}
			var request fetch.EventRequestPaused
			if json.Unmarshal(e.Params, &request) != nil || request.Request == nil {
				continue
			}
			method, params := respond(&request, p.figureOf(request.FrameID), libraries)
			// Ignore the reply, because the page of the request may have been closed.
			if id, _, err := p.send(e.Session, method, params); err == nil {
				p.forget(id)
			}
		}
	}
}

// A deadlineFile fails writes that take longer than writeLimit, because the browser hangs.
type deadlineFile struct{ *os.File }

func (d deadlineFile) Write(b []byte) (int, error) {
	_ = d.SetWriteDeadline(time.Now().Add(writeLimit)) // not supported on every system
	return d.File.Write(b)
}

// A tail keeps the end of the browser's standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if len(t.text) > 4<<10 {
		t.text = append([]byte(nil), t.text[len(t.text)-2<<10:]...)
	}
	return len(b), nil
}

// explain returns the browser's own message as the error: a line about a fatal error or the
// sandbox, or else the last line. If there is none, it returns err.
func (t *tail) explain(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	said := lines[len(lines)-1]
	for _, line := range lines {
		if strings.Contains(line, "FATAL") || strings.Contains(strings.ToLower(line), "sandbox") {
			said = line
			break
		}
	}
	if said == "" {
		return err
	}
	if len(said) > 300 {
		said = said[:300]
	}
	return errors.New(said)
}

// environment returns the browser's environment. With it, the browser finds the user's
// fonts, but neither the user's settings nor secrets in Easel's environment.
func environment(home string, w way) []string {
	env := []string{
		"HOME=" + home, "TMPDIR=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "XDG_RUNTIME_DIR=" + home, "DBUS_SESSION_BUS_ADDRESS=disabled:",
	}
	for _, name := range []string{
		"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH",
		"SystemRoot", "PROGRAMFILES", "LOCALAPPDATA",
	} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if w.user == nil {
		if data := os.Getenv("XDG_DATA_HOME"); data != "" {
			env = append(env, "XDG_DATA_HOME="+data)
		} else if dir := homeDir(); dir != "" {
			env = append(env, "XDG_DATA_HOME="+filepath.Join(dir, ".local", "share"))
		}
	}
	return env
}
