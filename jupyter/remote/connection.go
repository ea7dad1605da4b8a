package remote

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"easel/jupyter/tunnel"
)

var (
	//go:embed start.sh
	startScript string
	//go:embed copy.sh
	copyScript string
)

// assign returns a line of a shell script that sets a variable.
func assign(name, value string) string {
	return name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'\n"
}

// connectLimit is how long ssh may take to connect and a script to answer.
const connectLimit = 45 * time.Second

// A connection is one to an agent.
type connection struct {
	process *tunnel.Process
	lines   chan string   // of the agent; closed at its end
	quit    chan struct{} // closed by close
	tasks   sync.WaitGroup

	mu      sync.Mutex // guards the fields below and writing to the process
	last    int
	waiting map[int]chan reply
	broken  bool
}

// open starts a script on the other machine.
func open(a tunnel.Address, script string) (*connection, error) {
	p, err := a.Start(script)
	if err != nil {
		return nil, err
	}
	c := &connection{process: p, lines: make(chan string), quit: make(chan struct{}), waiting: make(map[int]chan reply)}
	c.tasks.Go(c.read)
	return c, nil
}

// read passes on the lines of the agent, and waits for the end of the process.
func (c *connection) read() {
	scanner := bufio.NewScanner(c.process.Output)
	scanner.Buffer(nil, 4<<20)
	for scanner.Scan() {
		select {
		case c.lines <- scanner.Text():
		case <-c.quit:
		}
	}
	_, _ = io.Copy(io.Discard, c.process.Output) // after an overlong line
	_ = c.process.Wait()                         // Problem says why
	close(c.lines)
}

// close ends the connection.
func (c *connection) close() {
	close(c.quit)
	c.process.Kill()
	c.tasks.Wait()
}

// line returns the next line of the other side.
func (c *connection) line(ctx context.Context, a tunnel.Address) (string, error) {
	limit := time.NewTimer(connectLimit)
	defer limit.Stop()
	select {
	case line, ok := <-c.lines:
		if !ok {
			return "", c.process.Problem()
		}
		return strings.TrimSuffix(line, "\r"), nil
	case <-limit.C:
		return "", a.Silent()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// connect connects to an agent on the other machine, after copying the program if it is not
// there.
func connect(ctx context.Context, cfg Config, tell func(Step)) (*connection, error) {
	tell(Step{Text: "Connecting to " + cfg.Address.Host})
	script := assign("owner", cfg.Owner) + assign("names", cfg.Programs.names()) + startScript
	for copied := false; ; copied = true {
		c, err := open(cfg.Address, script)
		if err != nil {
			return nil, err
		}
		if _, err = c.process.Write(nil); err != nil {
			err = c.process.Problem()
		}
		var first string
		if err == nil {
			first, err = c.line(ctx, cfg.Address)
		}
		var missing bool
		if err == nil {
			missing, err = cfg.begin(ctx, first, copied, tell)
		}
		if err == nil && !missing {
			return c, nil
		}
		c.close()
		if err != nil {
			return nil, err
		}
	}
}

// begin handles the first line of the script. missing reports whether the program was missing; it
// has been copied then.
func (cfg Config) begin(ctx context.Context, line string, copied bool, tell func(Step)) (missing bool, err error) {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "easel-nowhere":
		return false, &Error{
			Kind: Failed, Text: "Easel cannot store its program on " + cfg.Address.Host + ": " + rest,
			Remedy: "Make one of these directories writable for you, and allow programs in it.",
		}
	case word == "easel-missing" && copied:
		return false, &Error{Kind: Failed, Text: "Easel's program is gone from " + cfg.Address.Host + " just after it was copied"}
	case word == "easel-missing":
		parts := strings.SplitN(rest, " ", 3)
		if len(parts) < 3 {
			return false, fmt.Errorf("%s says %q", cfg.Address.Host, line)
		}
		path, err := cfg.Programs.find(parts[0], parts[1])
		if err != nil {
			return false, err
		}
		return true, cfg.copy(ctx, path, parts[2], tell)
	}
	var first reply
	var is hello
	switch err := json.Unmarshal([]byte(line), &first); {
	case err != nil:
		return false, &Error{
			Kind: Failed, Text: fmt.Sprintf("the shell on %s writes %q before Easel's program can answer", cfg.Address.Host, line),
			Remedy: "Let ~/.bashrc and similar files write nothing unless the shell is interactive.",
		}
	case first.Error != nil:
		return false, first.Error
	}
	if err := json.Unmarshal(first.Result, &is); err != nil || is.Protocol != protocol {
		return false, &Error{Kind: NoProgram, Text: fmt.Sprintf("the program for %s is of another version of Easel (%s)", cfg.Address.Host, is.Version), Remedy: "Build or install it again, for this version."}
	}
	return false, nil
}

// copy copies a program into a directory on the other machine.
func (cfg Config) copy(ctx context.Context, path, dir string, tell func(Step)) error {
	x, err := examine(path)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return cfg.send(ctx, copying(dir, x.name, x.size), f, func(n int64) {
		tell(Step{Text: fmt.Sprintf("Copying Easel's program to %s: %d of %d MB", cfg.Address.Host, n>>20, x.size>>20)})
	})
}

// copying returns the script that stores its input as a file.
func copying(dir, name string, size int64) string {
	return assign("dir", dir) + assign("name", name) + fmt.Sprintf("size=%d\nbeat=%d\n", size, int(connectLimit.Seconds())/4) + copyScript
}

// send runs a script on the other machine with a file as its input.
func (cfg Config) send(ctx context.Context, script string, f io.Reader, tell func(n int64)) error {
	c := &connection{lines: make(chan string), quit: make(chan struct{})}
	var err error
	if c.process, err = cfg.Address.Start(script, "-o", "Compression=yes"); err != nil {
		return err
	}
	c.tasks.Go(c.read)
	defer c.close()
	done := context.AfterFunc(ctx, c.process.Kill)
	defer done()
	_, err = io.Copy(c.process, &counter{r: f, tell: tell})
	err = errors.Join(err, c.process.CloseInput())
	answer, noAnswer := c.line(ctx, cfg.Address)
	for noAnswer == nil && answer == "easel-copying" { // much may be on its way over a slow link
		answer, noAnswer = c.line(ctx, cfg.Address)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case noAnswer == nil && answer == "easel-copied":
		return nil
	case noAnswer != nil:
		return noAnswer // what the script said; the pipe only broke
	}
	return errors.Join(err, fmt.Errorf("%s says %q", cfg.Address.Host, answer))
}

// A counter tells how much was read, at most once for each megabyte.
type counter struct {
	r    io.Reader
	n    int64
	tell func(n int64)
}

// Read reads and counts.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.n>>20 != (c.n+int64(n))>>20 || c.n == 0 {
		c.tell(c.n)
	}
	c.n += int64(n)
	return n, err
}

// call sends a request and waits for the answer.
func (c *connection) call(ctx context.Context, method string, in, out any, tell func(Step)) error {
	params, err := json.Marshal(in)
	if err != nil {
		return err
	}
	answers := make(chan reply, 64) // steps that nobody reads are dropped
	c.mu.Lock()
	c.last++
	id := c.last
	line, err := json.Marshal(request{id, method, params})
	if err == nil && c.broken {
		err = errBroken
	}
	if err == nil {
		c.waiting[id] = answers
		_, err = c.process.Write(append(line, '\n'))
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	if err != nil {
		return errBroken
	}
	for {
		select {
		case r, ok := <-answers:
			switch {
			case !ok:
				return errBroken
			case r.Error != nil:
				return r.Error
			case r.Step == nil:
				return json.Unmarshal(r.Result, out)
			case tell != nil:
				tell(*r.Step)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// errBroken means that the connection ended before the answer.
var errBroken = errors.New("the connection is broken")

// serve passes on the answers until the connection ends.
func (c *connection) serve(ctx context.Context) error {
	defer c.fail()
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				return c.process.Problem()
			}
			var r reply
			if json.Unmarshal([]byte(line), &r) != nil {
				continue
			}
			if r.ID == 0 && r.Error != nil {
				return r.Error
			}
			c.pass(r)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// pass passes on an answer.
func (c *connection) pass(r reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	answers := c.waiting[r.ID]
	if answers == nil {
		return
	}
	if r.Step != nil && len(answers) > cap(answers)/2 {
		return
	}
	select {
	case answers <- r:
	default:
	}
}

// fail ends all calls.
func (c *connection) fail() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = true
	for id, answers := range c.waiting {
		close(answers)
		delete(c.waiting, id)
	}
}

// check asks the agent for a sign of life now and then, until it gives none.
func (c *connection) check(every, limit time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-c.quit:
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		err := c.call(ctx, methodPing, none{}, &none{}, nil)
		cancel()
		if err != nil {
			c.process.Kill()
			return
		}
	}
}
