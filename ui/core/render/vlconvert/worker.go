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

// A hello is the worker's first word.
type hello struct {
	Version string   `json:"version"`
	Held    []string `json:"held"`    // what confines it
	Missing string   `json:"missing"` // why the package is missing
}

// A worker is a Python process that draws.
type worker struct {
	python string
	dir    string // its working directory, which holds its program and its log
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	reader *bufio.Reader
	log    *os.File
	ended  chan struct{} // closed when the process has ended

	mu     sync.Mutex // guards what follows
	figure int        // counts what it was asked; a limit ends only the figure that it is for
	why    error      // why it was killed; nil if it was not
}

// startWorker starts a process. The caller greets it, and ends it.
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
	// Not CommandContext: the process outlives the figure that it is started for.
	w.cmd = exec.Command(python, "-I", "-B", filepath.Join(w.dir, "python", "worker.py"), string(args)) //nolint:gosec,noctx // the caller's interpreter
	w.cmd.Dir, w.cmd.Env = w.dir, environ(w.dir)
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = stdin, stdout, w.log
	ownGroup(w.cmd)
	if err = w.run(); err != nil {
		return nil, err
	}
	_ = stdin.Close()
	_ = stdout.Close()
	w.in, w.out, w.reader = in, out, bufio.NewReader(out)
	return w, nil
}

// run starts the process, and waits for its end on a goroutine. Linux ends the process
// with the thread that started it, so that thread stays.
func (w *worker) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		err := w.cmd.Start()
		started <- err
		if err == nil {
			defer close(w.ended)
			_ = w.cmd.Wait() // how it ended does not matter; why says what is to be said
		}
	}()
	return <-started
}

// unpack makes the worker's directory.
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

// kept are the variables that a worker gets: no proxies, no tokens. EASEL_TEST_RUN marks
// the processes of a test run.
var kept = []string{
	"HOME", "USERPROFILE", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
	"SYSTEMROOT", "WINDIR", "SYSTEMDRIVE", "EASEL_TEST_RUN",
}

// environ is the environment of a worker with a directory for its temporary files.
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

// figures counts what the worker was asked.
func (w *worker) figures() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.figure
}

// kill ends the worker at once. The first reason counts.
func (w *worker) kill(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.killLocked(why)
}

// killFor does so if the worker is still at that figure.
func (w *worker) killFor(figure int, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.figure == figure {
		w.killLocked(why)
	}
}

func (w *worker) killLocked(why error) {
	if w.why == nil {
		w.why = why
	}
	_ = w.cmd.Process.Kill() // it may have ended by itself
}

// guard runs an exchange with the worker, which is killed when ctx ends, or for the reason
// late when the time is up. The error is the reason, or errDied.
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
		w.killLocked(errDied) // what it sent was no answer, if it has not ended
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

// send writes a frame; python/worker.py describes it.
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

// said is what the worker wrote to stderr during the last figure: the end of it.
func (w *worker) said() string {
	info, err := w.log.Stat()
	if err != nil {
		return ""
	}
	text := make([]byte, min(info.Size(), maxSaid))
	n, _ := w.log.ReadAt(text, info.Size()-int64(len(text))) // what there is
	return strings.TrimSpace(strings.ToValidUTF8(string(text[:n]), ""))
}

// watchMemory kills the worker when it has more memory than it may have. It stops when
// the function that it returns is called.
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

// memory is what the worker has in memory; 0 if the system does not tell.
func (w *worker) memory() int64 {
	if w.dead() {
		return 0
	}
	return resident(w.pid())
}

// end has the worker end, waits for that and removes its files.
func (w *worker) end() {
	_ = w.in.Close() // an idle worker ends when nobody can ask it
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
