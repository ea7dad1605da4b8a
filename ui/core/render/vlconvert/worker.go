package vlconvert

import (
	"bufio"
	"context"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/internal/system"
)

//go:embed python/*.py
var program embed.FS

const (
	startLimit = 60 * time.Second // a disk may be slow
	endGrace   = 2 * time.Second
	memoryTick = 50 * time.Millisecond
	maxHeader  = 1 << 20
	maxBody    = 256 << 20
	maxSaid    = 2 << 10
)

var (
	errSlow     = errors.New("it does not answer")
	outOfMemory = regexp.MustCompile(`(?i)out of memory|memory allocation`)
)

// A hello is the worker's first message.
type hello struct {
	Version string   `json:"version"`
	Held    []string `json:"held"`    // mechanisms that confine it
	Missing string   `json:"missing"` // why vl_convert cannot be imported
}

// A worker is a Python process that draws figures.
type worker struct {
	python string
	dir    string // its working directory, with its program and its log
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	reader *bufio.Reader
	log    *os.File
	ended  chan struct{} // closed when the process has ended

	mu     sync.Mutex // guards the fields below
	figure int        // number of exchanges so far; a limit applies to only one
	why    error      // why it was killed; nil if it was not
}

// startWorker starts a worker. The caller must call greet, and at last end.
func startWorker(python string, cfg Config) (_ *worker, err error) {
	w := &worker{python: python, ended: make(chan struct{})}
	var files []*os.File
	defer func() {
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
			_ = os.RemoveAll(w.dir)
		}
	}()
	if err = w.unpack(); err != nil {
		return nil, err
	}
	files = append(files, w.log)
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	files = append(files, stdin, in)
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	files = append(files, out, stdout)
	args, err := json.Marshal(map[string]any{"memory": cfg.Memory, "fonts": append([]string{}, cfg.FontDirs...)})
	if err != nil {
		return nil, err
	}
	// Not CommandContext: the process outlives the figure that it was started for.
	w.cmd = exec.Command(python, "-I", "-B", filepath.Join(w.dir, "python", "worker.py"), string(args)) //nolint:gosec,noctx // the caller's interpreter
	w.cmd.Dir, w.cmd.Env = w.dir, environ(w.dir)
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = stdin, stdout, w.log
	system.Tie(w.cmd)
	if err = w.run(); err != nil {
		return nil, err
	}
	_ = stdin.Close()
	_ = stdout.Close()
	w.in, w.out, w.reader = in, out, bufio.NewReader(out)
	return w, nil
}

// run starts the process, and a goroutine that waits for its end. Linux kills the process
// when the thread that started it ends (Pdeathsig), so the goroutine keeps that thread.
func (w *worker) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		err := w.cmd.Start()
		started <- err
		if err == nil {
			defer close(w.ended)
			_ = w.cmd.Wait() // w.why has the reason, if we killed it
		}
	}()
	return <-started
}

// unpack creates the worker's directory, with its program and its log.
func (w *worker) unpack() (err error) {
	if w.dir, err = os.MkdirTemp("", "easel-vlconvert-*"); err != nil {
		return err
	}
	if err = os.CopyFS(w.dir, program); err != nil {
		return err
	}
	w.log, err = os.OpenFile(filepath.Join(w.dir, "log"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return err
}

// kept lists the environment variables that a worker inherits. It excludes proxies and
// tokens. EASEL_TEST_RUN marks the processes of a test run.
var kept = []string{
	"HOME", "USERPROFILE", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
	"SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "EASEL_TEST_RUN",
}

// environ returns the environment of a worker. dir is its directory for temporary files; ""
// leaves the default.
func environ(dir string) []string {
	env := []string{"PYTHONUTF8=1", "MALLOC_ARENA_MAX=2"}
	if dir != "" {
		env = append(env, "TMPDIR="+dir, "TEMP="+dir, "TMP="+dir)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); slices.Contains(kept, strings.ToUpper(name)) {
			env = append(env, kv)
		}
	}
	return env
}

func (w *worker) pid() int { return w.cmd.Process.Pid }

func (w *worker) dead() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// figures returns the number of exchanges with the worker so far, including the greeting.
func (w *worker) figures() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.figure
}

// kill kills the worker. The reason of the first kill is kept.
func (w *worker) kill(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.killLocked(why)
}

// killFor kills the worker if it is still at that exchange.
func (w *worker) killFor(figure int, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.figure == figure {
		w.killLocked(why)
	}
}

// killLocked does the work of kill. The caller holds w.mu.
func (w *worker) killLocked(why error) {
	if w.why == nil {
		w.why = why
	}
	_ = w.cmd.Process.Kill() // fails if it has ended by itself
}

// guard runs an exchange with the worker. It kills the worker when ctx is done, or, with the
// error late, when limit has passed. It returns the reason for which the worker was killed.
// If the exchange fails otherwise, it kills the worker and returns errDied.
func (w *worker) guard(ctx context.Context, limit time.Duration, late error, exchange func(figure int) error) error {
	figure := w.figures()
	timer := time.AfterFunc(limit, func() { w.killFor(figure, late) })
	defer timer.Stop()
	stop := context.AfterFunc(ctx, func() { w.killFor(figure, ctx.Err()) })
	defer stop()
	err := exchange(figure)
	w.mu.Lock()
	w.figure++
	why := w.why
	if err != nil && why == nil {
		w.killLocked(errDied) // if it has not ended, its answer was invalid
	}
	w.mu.Unlock()
	switch {
	case why != nil:
		return why
	case err != nil:
		return fmt.Errorf("%w: %w", errDied, err)
	}
	return nil
}

// greet waits until the worker is ready.
func (w *worker) greet(ctx context.Context) (h hello, err error) {
	err = w.guard(ctx, startLimit, errSlow, func(int) error {
		_, err := w.receive(&h)
		return err
	})
	return h, err
}

// send writes a frame. The format is described in python/worker.py.
func (w *worker) send(header any, body []byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(body)))
	if _, err := w.in.Write(append(frame, text...)); err != nil {
		return err
	}
	_, err = w.in.Write(body)
	return err
}

// receive reads a frame.
func (w *worker) receive(header any) (body []byte, err error) {
	var lengths [8]byte
	if _, err := io.ReadFull(w.reader, lengths[:]); err != nil {
		return nil, err
	}
	n, m := binary.BigEndian.Uint32(lengths[:4]), binary.BigEndian.Uint32(lengths[4:])
	if n > maxHeader || m > maxBody {
		return nil, fmt.Errorf("a frame of %d and %d bytes", n, m)
	}
	text, body := make([]byte, n), make([]byte, m)
	if _, err := io.ReadFull(w.reader, text); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(w.reader, body); err != nil {
		return nil, err
	}
	return body, json.Unmarshal(text, header)
}

// said returns the end of what the worker wrote to stderr. The worker truncates this log
// before each figure.
func (w *worker) said() string {
	info, err := w.log.Stat()
	if err != nil {
		return ""
	}
	text := make([]byte, min(info.Size(), maxSaid))
	n, _ := w.log.ReadAt(text, info.Size()-int64(len(text))) // a short read is fine
	return strings.TrimSpace(strings.ToValidUTF8(string(text[:n]), ""))
}

// watchMemory starts a goroutine that kills the worker, with the reason why, when it uses
// more than limit bytes of memory. stop ends the goroutine and waits for it.
func (w *worker) watchMemory(figure int, limit int64, why error) (stop func()) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(memoryTick)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if w.memory() > limit {
					w.killFor(figure, why)
					return
				}
			}
		}
	})
	return func() {
		close(done)
		watching.Wait()
	}
}

// memory returns the worker's resident memory in bytes, or 0 if it is unknown.
func (w *worker) memory() int64 {
	if w.dead() {
		return 0
	}
	return resident(w.pid())
}

// end ends the worker, by force after endGrace, waits for it and removes its files.
func (w *worker) end() {
	_ = w.in.Close() // an idle worker ends at the end of its input
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	select {
	case <-w.ended:
	case <-grace.C:
		w.kill(errDied)
		<-w.ended
	}
	_ = w.out.Close()
	_ = w.log.Close()
	_ = os.RemoveAll(w.dir)
}
