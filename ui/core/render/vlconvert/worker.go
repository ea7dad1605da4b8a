package vlconvert

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"
)

//go:embed worker.py
var program string

// A request is the head of what the process is asked.
type request struct {
	MIME   string  `json:"mime"`
	Scale  float64 `json:"scale"`
	Width  int     `json:"width,omitempty"`
	Height int     `json:"height,omitempty"`
}

// An answer is the head of what it says.
type answer struct {
	Missing string   `json:"missing"` // at its start: what cannot be imported
	Refused string   `json:"refused"`
	Title   string   `json:"title"`
	Blocked []string `json:"blocked"`
}

// mostAnswer bounds an answer's head and bytes.
const mostAnswer = 128 << 20

var (
	errTooLarge = errors.New("it takes too much memory")
	errDied     = errors.New("the process that drew it died")
)

// A worker is the running process.
type worker struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *os.File // closed by stop
	dir   string   // where it works
	ended chan struct{}
	grown atomic.Bool  // it was killed for its memory
	used  atomic.Int64 // when, in Unix nanoseconds
}

// startWorker starts the process; it says hello.
func startWorker(python string, cfg Config) (*worker, error) {
	dir, err := os.MkdirTemp("", "easel-draw-")
	if err != nil {
		return nil, err
	}
	ours, its, err := os.Pipe()
	if err != nil {
		_ = os.Remove(dir)
		return nil, err
	}
	// No context: the process serves many callers, and stop ends it.
	w := &worker{cmd: exec.Command(python, append([]string{"-I", "-c", program}, cfg.Fonts...)...), out: ours, dir: dir, ended: make(chan struct{})} //nolint:gosec,noctx // our own interpreter
	w.cmd.Dir, w.cmd.Env, w.cmd.Stdout = dir, environment(), its
	w.cmd.Stderr = &logWriter{log: cfg.Log}
	w.cmd.SysProcAttr = endsWithUs()
	w.in, err = w.cmd.StdinPipe()
	if err == nil {
		err = w.run()
	}
	_ = its.Close()
	if err != nil {
		_ = ours.Close()
		_ = os.Remove(dir)
		return nil, err
	}
	w.touch()
	go w.watch(cfg.Memory)
	return w, nil
}

// run starts the process, and waits for its end on a goroutine. Linux ends the process with
// the thread that has started it: so that thread stays.
func (w *worker) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := w.cmd.Start()
		started <- err
		if err == nil {
			_ = w.cmd.Wait()
			close(w.ended)
		}
	}()
	return <-started
}

// environment is what the process gets: what the system and the search for fonts need, and
// neither proxies nor secrets.
func environment() []string {
	env := []string{"LC_ALL=C.UTF-8"}
	for _, name := range []string{"HOME", "SYSTEMROOT", "WINDIR", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP", "TMPDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func (w *worker) touch()                         { w.used.Store(time.Now().UnixNano()) }
func (w *worker) usedSince(d time.Duration) bool { return time.Since(time.Unix(0, w.used.Load())) < d }

func (w *worker) alive() bool {
	select {
	case <-w.ended:
		return false
	default:
		return true
	}
}

// stop kills the process and waits for its end.
func (w *worker) stop() {
	_ = w.cmd.Process.Kill()
	_ = w.in.Close()
	<-w.ended
	_ = w.out.Close()
	_ = os.RemoveAll(w.dir)
}

// memoryTick is how often the process's memory is looked at.
const memoryTick = 100 * time.Millisecond

// watch kills the process when it takes more memory than limit bytes.
func (w *worker) watch(limit int64) {
	tick := time.NewTicker(memoryTick)
	defer tick.Stop()
	for {
		select {
		case <-w.ended:
			return
		case <-tick.C:
			if resident(w.cmd.Process.Pid) > limit {
				w.grown.Store(true)
				_ = w.cmd.Process.Kill()
				return
			}
		}
	}
}

// ask sends a request and reads the answer. After an error the process is of no use.
func (w *worker) ask(ctx context.Context, r request, data []byte) (answer, []byte, error) {
	w.touch()
	head, err := json.Marshal(r)
	if err != nil {
		return answer{}, nil, err
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(head)))
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(data)))
	frame = append(append(frame, head...), data...)
	stop := context.AfterFunc(ctx, func() { _ = w.cmd.Process.Kill() })
	defer stop()
	if _, err := w.in.Write(frame); err != nil {
		return answer{}, nil, w.cause(err)
	}
	return w.read(ctx)
}

// read reads an answer; the process is killed when ctx ends before it is there.
func (w *worker) read(ctx context.Context) (a answer, data []byte, err error) {
	stop := context.AfterFunc(ctx, func() { _ = w.cmd.Process.Kill() })
	defer stop()
	defer w.touch()
	var sizes [8]byte
	if _, err := io.ReadFull(w.out, sizes[:]); err != nil {
		return a, nil, w.cause(err)
	}
	headSize, dataSize := binary.BigEndian.Uint32(sizes[:4]), binary.BigEndian.Uint32(sizes[4:])
	if headSize > mostAnswer || dataSize > mostAnswer {
		return a, nil, fmt.Errorf("%w: it answered with %d bytes", errDied, uint64(headSize)+uint64(dataSize))
	}
	both := make([]byte, headSize+dataSize)
	if _, err := io.ReadFull(w.out, both); err != nil {
		return a, nil, w.cause(err)
	}
	if err := json.Unmarshal(both[:headSize], &a); err != nil {
		return a, nil, fmt.Errorf("%w: %w", errDied, err)
	}
	return a, both[headSize:], nil
}

// cause is why nothing could be read or written.
func (w *worker) cause(err error) error {
	if w.grown.Load() {
		return errTooLarge
	}
	return fmt.Errorf("%w: %w", errDied, err)
}

// size reads the size of a PNG in pixels.
func size(data []byte) (w, h int, err error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0, fmt.Errorf("no picture came of it: %w", err)
	}
	return c.Width, c.Height, nil
}

// A logWriter logs what the process writes to its standard error, a line at a time.
type logWriter struct {
	log  *slog.Logger
	rest []byte
	n    int
}

// mostLogged bounds what one process may have logged, in bytes.
const mostLogged = 16 << 10

func (l *logWriter) Write(p []byte) (int, error) {
	l.n += len(p)
	if l.n > mostLogged {
		return len(p), nil
	}
	l.rest = append(l.rest, p...)
	for {
		advance, line, _ := bufio.ScanLines(l.rest, false)
		if advance == 0 {
			return len(p), nil
		}
		l.log.Debug("the process that draws charts", "stderr", string(line))
		l.rest = l.rest[advance:]
	}
}
