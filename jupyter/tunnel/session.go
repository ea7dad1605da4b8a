package tunnel

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// script runs on the other machine.
//
//go:embed list.sh
var script string

// A session is one ssh process. Only its owner calls its methods, except for dial.
type session struct {
	*Process

	network, socket string        // where it forwards from; "" if it forwards nothing
	out             chan string   // for standard input
	lines           chan string   // of standard output; closed at its end
	quit            chan struct{} // closed by close
	tasks           sync.WaitGroup
	requests        int
	received        atomic.Int64 // bytes of the forwarded connections
}

// launch starts ssh. If to is not nil, it forwards a socket to that server.
func (t *Tunnel) launch(to *remoteServer) (*session, error) {
	s := &session{out: make(chan string, 4), lines: make(chan string), quit: make(chan struct{})}
	var forward []string
	if to != nil {
		destination, err := t.forward(s, *to)
		if err != nil {
			return nil, err
		}
		forward = []string{"-L", destination}
	}
	var err error
	if s.Process, err = t.cfg.Address.start(t.cfg.program, t.script, forward...); err != nil {
		return nil, err
	}
	s.tasks.Go(s.read)
	s.tasks.Go(s.write)
	return s, nil
}

// write writes to standard input, until close or the end of the process. ssh does not read
// before it has connected.
func (s *session) write() {
	for {
		select {
		case text := <-s.out:
			_, _ = io.WriteString(s, text) // if this fails, no answer follows
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
func (s *session) read() {
	scanner := bufio.NewScanner(s.Output)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		select {
		case s.lines <- scanner.Text():
		case <-s.quit:
		}
	}
	_, _ = io.Copy(io.Discard, s.Output) // after an overlong line
	_ = s.Wait()                         // stderr says why
	close(s.lines)
}

// close ends the process and waits for it.
func (s *session) close() {
	close(s.quit)
	s.Kill()
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
