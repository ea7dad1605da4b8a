package tunnel

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"easel/internal/system"
)

// script runs on the other machine.
//
//go:embed list.sh
var script string

// A session is one ssh process. Only its owner calls its methods, except for dial.
type session struct {
	network, socket string // where it forwards from; "" if it forwards nothing
	cmd             *exec.Cmd
	stdin           io.WriteCloser
	out             chan string   // for standard input
	lines           chan string   // of standard output; closed at its end
	quit            chan struct{} // closed by close
	tasks           sync.WaitGroup
	stderr          *tail
	requests        int
	received        atomic.Int64 // bytes of the forwarded connections
}

// options are the options of ssh. Nobody can answer its questions. No host key is accepted
// without the user. A connection of its own ends with the process, and so do its forwards.
var options = []string{
	"-T", "-a", "-x",
	"-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=15", "-o", "ConnectionAttempts=1",
	"-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3", "-o", "TCPKeepAlive=yes",
	"-o", "ControlMaster=no", "-o", "ControlPath=none", "-o", "RemoteCommand=none", "-o", "PermitLocalCommand=no",
	"-o", "LogLevel=INFO", "-o", "StreamLocalBindMask=0177", "-o", "StreamLocalBindUnlink=yes",
	// The user's own forwards for this host may be in use by another ssh. Whether ours works
	// is seen by using it.
	"-o", "ExitOnForwardFailure=no",
}

// launch starts ssh. If to is not nil, it forwards a socket to that server.
func (t *Tunnel) launch(to *remoteServer) (*session, error) {
	program, err := exec.LookPath(t.cfg.program)
	if err != nil {
		return nil, t.cfg.Address.problem(NoSSH, "")
	}
	s := &session{out: make(chan string, 4), lines: make(chan string), quit: make(chan struct{}), stderr: new(tail)}
	args := append([]string(nil), options...)
	if to != nil {
		forward, err := t.forward(s, *to)
		if err != nil {
			return nil, err
		}
		args = append(args, "-L", forward)
	}
	args = append(args, t.cfg.Address.arguments()...)
	// The user's shell there may be any; within single quotes, all agree. dd reads no more
	// than the script, so that the script can read what follows.
	args = append(args, fmt.Sprintf(`exec sh -c 'eval "$(dd bs=1 count=%d 2>/dev/null)"'`, len(t.script)))
	s.cmd = exec.Command(program, args...)                        //nolint:gosec,noctx // the system's ssh; close ends it
	s.cmd.Env = append(os.Environ(), "SSH_ASKPASS_REQUIRE=never") // the ssh to a jump host does not get our options
	s.cmd.Stderr, s.cmd.WaitDelay = s.stderr, time.Second
	system.Tie(s.cmd)
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.tasks.Go(func() { s.read(stdout) })
	s.tasks.Go(s.write)
	s.out <- t.script
	return s, nil
}

// write writes to standard input, until close or the end of the process. ssh does not read
// before it has connected.
func (s *session) write() {
	for {
		select {
		case text := <-s.out:
			_, _ = io.WriteString(s.stdin, text) // if this fails, no answer follows
		case <-s.quit:
			return
		}
	}
}

// forward chooses where the session forwards from, and returns the argument for ssh.
func (t *Tunnel) forward(s *session, to remoteServer) (string, error) {
	t.sockets++
	if !t.cfg.tcp {
		s.network, s.socket = "unix", filepath.Join(t.dir, strconv.Itoa(t.sockets))
		return s.socket + ":" + to.destination(), nil
	}
	// Another program may take the port before ssh does. Then the probe fails, and the
	// next attempt uses another.
	l, err := new(net.ListenConfig).Listen(t.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s.network, s.socket = "tcp", l.Addr().String()
	return s.socket + ":" + to.destination(), l.Close()
}

// read passes on the lines of standard output, and waits for the process.
func (s *session) read(stdout io.Reader) {
	scanner := bufio.NewScanner(stdout)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		select {
		case s.lines <- scanner.Text():
		case <-s.quit:
		}
	}
	_, _ = io.Copy(io.Discard, stdout) // after an overlong line
	_ = s.cmd.Wait()                   // stderr says why
	close(s.lines)
}

// close ends the process and waits for it.
func (s *session) close() {
	close(s.quit)
	_ = s.cmd.Process.Kill() // it may have ended
	s.tasks.Wait()
	if s.network == "unix" {
		_ = os.Remove(s.socket)
	}
}

// errSilent means that the other machine did not answer in time.
var errSilent = errors.New("no answer")

// maxLines is the maximum number of lines of an answer.
const maxLines = 100_000

// ask sends a request to the script, and returns the lines of its answer. The error is
// errSilent after the limit, unless forwarded connections receive data. It is io.EOF if ssh
// has ended.
func (s *session) ask(ctx context.Context, request string, limit time.Duration) ([]string, error) {
	s.requests++
	request += " " + strconv.Itoa(s.requests)
	select {
	case s.out <- request + "\n":
	default: // it has not even read the former requests
		return nil, errSilent
	}
	var answer []string
	begun, received := false, s.received.Load()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case line, ok := <-s.lines:
			line = strings.TrimSuffix(line, "\r")
			switch {
			case !ok:
				return nil, io.EOF
			case line == "begin "+request:
				begun = true
			case line == "end "+request && begun:
				return answer, nil
			case begun && len(answer) < maxLines:
				answer = append(answer, line)
			}
		case <-timer.C:
			now := s.received.Load()
			if now == received {
				return nil, errSilent
			}
			received = now // a slow network, with much to carry
			timer.Reset(limit)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// list returns the servers that run on the other machine.
func (s *session) list(ctx context.Context, limit time.Duration) ([]remoteServer, error) {
	lines, err := s.ask(ctx, "list", limit)
	return parseList(lines), err
}

// dial connects to the server through the session.
func (s *session) dial(ctx context.Context) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, s.network, s.socket)
	if err != nil {
		return nil, err
	}
	return &countingConn{conn, &s.received}, nil
}

// answers reports whether the server accepts connections through the session.
func (s *session) answers(ctx context.Context, f remoteServer, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, err := s.dial(ctx)
	if err != nil {
		return false
	}
	defer conn.Close() //nolint:errcheck // nothing depends on it
	if f.place.URL.Scheme != "http" {
		return true // found out by the first request
	}
	_ = conn.SetDeadline(time.Now().Add(limit))
	if _, err = io.WriteString(conn, "GET "+f.place.URL.EscapedPath()+"/api HTTP/1.0\r\nHost: localhost\r\n\r\n"); err == nil {
		_, err = conn.Read(make([]byte, 1))
	}
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded) // it is only slow
}

// A countingConn counts what it receives.
type countingConn struct {
	net.Conn
	received *atomic.Int64
}

// Read reads and counts.
func (c *countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received.Add(int64(n))
	return n, err
}

// tailSize is how many bytes of standard error are kept.
const tailSize = 4 << 10

// A tail keeps the end of what is written. Its zero value is ready to use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write appends p.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailSize; extra > 0 {
		t.text = append([]byte(nil), t.text[extra:]...)
	}
	return len(p), nil
}

// String returns the end.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text), "")
}
