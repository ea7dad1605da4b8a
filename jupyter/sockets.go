package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"easel/jupyter/wire"
	"easel/jupyter/zmtp"
)

// lifeProtocol is the websocket's subprotocol by which Easel's own server tells only
// what becomes of a kernel; its messages come over [sockets]. By returningProtocol, who
// comes back can also ask for what the kernel has said meanwhile. See easel_life.py.
const (
	lifeProtocol      = "life.kernel.websocket.easel"
	returningProtocol = "returning.life.kernel.websocket.easel"
)

// A connection is what a kernel's connection file says. See "Connection files" in
// jupyter-client's documentation.
type connection struct {
	Transport       string `json:"transport"`
	IP              string `json:"ip"`
	ShellPort       int    `json:"shell_port"`
	ControlPort     int    `json:"control_port"`
	IOPubPort       int    `json:"iopub_port"`
	Key             string `json:"key"`
	SignatureScheme string `json:"signature_scheme"`
	CurvePublicKey  string `json:"curve_publickey"` // of a kernel that encrypts
}

// readConnection reads a connection file. One that we cannot use is an error.
func readConnection(file string) (c connection, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, err
	}
	if ip := net.ParseIP(c.IP); c.Transport != "tcp" || ip == nil || !ip.IsLoopback() {
		return c, fmt.Errorf("the kernel listens by %s at %q", c.Transport, c.IP)
	}
	if c.CurvePublicKey != "" {
		return c, errors.New("the kernel encrypts what it says")
	}
	if c.Key != "" && c.SignatureScheme != wire.SignatureScheme {
		return c, fmt.Errorf("its messages are signed by %s", c.SignatureScheme)
	}
	return c, nil
}

// connectionFile is where the server keeps how to reach the kernel's sockets; "" if
// that cannot be read here, or does not help.
func (s *Server) connectionFile(kernelID string) string {
	if s.runtimeDir == "" || kernelID == "" || kernelID != filepath.Base(kernelID) {
		return ""
	}
	file := filepath.Join(s.runtimeDir, "kernel-"+kernelID+".json")
	if _, err := readConnection(file); err != nil {
		s.log.Info("the kernel's sockets cannot be used, the server passes its messages on", "kernel", kernelID, "err", err)
		return ""
	}
	return file
}

// sockets are a kernel's own: shell, control and iopub. They are kept connected, also
// to the process that takes the place of another, until the context of run ends. What
// is sent meanwhile waits for it, as with ZeroMQ.
//
// stdin is not among them: our requests do not allow it.
type sockets struct {
	file    string // the connection file
	tuning  tuning
	receive func(*wire.Message, error) // called by several goroutines
	lost    func()                     // told when the kernel has ended a connection

	out   chan *wire.Message
	up    chan struct{} // closed when they have been connected for the first time
	first sync.Once
}

func newSockets(file string, t tuning, receive func(*wire.Message, error), lost func()) *sockets {
	return &sockets{file: file, tuning: t, receive: receive, lost: lost, out: make(chan *wire.Message, 16), up: make(chan struct{})}
}

// errNoSockets: the kernel does not let itself be spoken to over its sockets.
var errNoSockets = errors.New("the kernel's sockets cannot be connected")

// await waits until they are connected: errNoSockets after too long.
func (s *sockets) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.tuning.sockets, errNoSockets)
	defer cancel()
	select {
	case <-s.up:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run keeps the sockets connected until ctx ends. A new process says that it starts a
// tenth of a second after it can be connected, or sooner, and only to who listens.
func (s *sockets) run(ctx context.Context) {
	wait, since := time.Duration(0), time.Now()
	for {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		set, err := s.dial(ctx)
		if err != nil {
			wait = s.tuning.redial
			if time.Since(since) > s.tuning.sockets {
				wait = s.tuning.redialTo // perhaps nobody starts it again
			}
			continue
		}
		s.first.Do(func() { close(s.up) })
		set.serve(ctx)
		wait, since = s.tuning.redial, time.Now()
		s.lost()
	}
}

// A set is a connection to each of the sockets of one process.
type set struct {
	*sockets
	key                   []byte
	shell, control, iopub *zmtp.Conn
}

// dial connects to all of the sockets. iopub is first: what is told there because of
// a request must not come before we listen.
func (s *sockets) dial(ctx context.Context) (*set, error) {
	ctx, cancel := context.WithTimeout(ctx, s.tuning.handshake)
	defer cancel()
	c, err := readConnection(s.file)
	if err != nil {
		return nil, err
	}
	made := &set{sockets: s, key: []byte(c.Key)}
	for _, d := range []struct {
		conn   **zmtp.Conn
		kind   zmtp.Kind
		port   int
		buffer int
	}{
		{&made.iopub, zmtp.Sub, c.IOPubPort, 64 << 10},
		{&made.control, zmtp.Dealer, c.ControlPort, 4 << 10},
		{&made.shell, zmtp.Dealer, c.ShellPort, 4 << 10},
	} {
		if *d.conn, err = zmtp.Dial(ctx, net.JoinHostPort(c.IP, strconv.Itoa(d.port)), d.kind, "", d.buffer); err != nil {
			made.close()
			return nil, err
		}
	}
	return made, nil
}

func (s *set) all() []*zmtp.Conn { return []*zmtp.Conn{s.shell, s.control, s.iopub} }

func (s *set) close() {
	for _, c := range s.all() {
		if c != nil {
			_ = c.Close()
		}
	}
}

// serve reads and writes until one of the sockets has ended, or ctx. A process that
// ends takes all of them along, each behind its last words.
func (s *set) serve(ctx context.Context) {
	stop := context.AfterFunc(ctx, s.close)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := func() {
		cancel()
		for _, c := range s.all() {
			c.EndWithin(s.tuning.farewell)
		}
	}
	var tasks sync.WaitGroup
	for channel, conn := range map[string]*zmtp.Conn{wire.Shell: s.shell, wire.Control: s.control, wire.IOPub: s.iopub} {
		tasks.Go(func() {
			defer ended()
			s.read(channel, conn)
		})
	}
	tasks.Go(func() {
		defer ended()
		s.write(ctx)
	})
	tasks.Wait()
	s.close()
}

// read takes in the messages of a channel until its socket has ended.
func (s *set) read(channel string, conn *zmtp.Conn) {
	signed := wire.Signed{Key: s.key}
	for {
		parts, err := conn.Read(s.tuning.readLimit)
		var m *wire.Message
		switch {
		case err == nil:
			m, err = signed.Decode(channel, parts)
		case errors.Is(err, zmtp.ErrTooLarge):
			err = fmt.Errorf("%w: over %d bytes", ErrMessageTooLarge, s.tuning.readLimit)
			var headErr error
			if m, headErr = signed.DecodeHead(channel, parts); headErr != nil {
				err = headErr
			}
		default:
			return
		}
		s.receive(m, err)
	}
}

// write sends what is to be sent until a socket or ctx has ended.
func (s *set) write(ctx context.Context) {
	signed := wire.Signed{Key: s.key}
	for {
		select {
		case m := <-s.out:
			conn := s.shell
			if m.Channel == wire.Control {
				conn = s.control
			}
			parts, err := signed.Encode(m)
			if err == nil {
				err = conn.Write(parts, s.tuning.write)
			}
			if err != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// send hands m to the writer.
func (s *sockets) send(ctx context.Context, m *wire.Message) error {
	if size := len(m.Content); size > writeLimit { // as by the websocket
		return fmt.Errorf("%w: %d bytes; at most %d", ErrRequestTooLarge, size, writeLimit)
	}
	select {
	case s.out <- m:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
