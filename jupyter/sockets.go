package jupyter

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"easel/jupyter/connection"
	"easel/jupyter/wire"
	"easel/jupyter/zmtp"
)

// lifeProtocol is the websocket subprotocol with which Easel's own server reports only
// the life cycle of a kernel. The kernel's messages come over [sockets]. With
// returningProtocol, a returning client can also request what the kernel has sent in the
// meantime. See easel_life.py.
const (
	lifeProtocol      = "life.kernel.websocket.easel"
	returningProtocol = "returning.life.kernel.websocket.easel"
)

// readConnection reads a connection file. It returns an error if this client cannot use
// it. The kernels of Easel's own server use TCP, and those in a sandbox sockets in the file system.
func readConnection(file string) (connection.File, error) {
	c, err := connection.Read(file)
	if err != nil {
		return c, err
	}
	return c, c.Check()
}

// connectionFile returns the path of the kernel's connection file, or "" if it cannot be
// read here or is not usable.
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

// sockets are a kernel's own sockets: shell, control, iopub and stdin. They stay connected,
// also to a process that replaces another, until the context of run ends. Messages that
// are sent in the meantime wait for the new process, as with ZeroMQ.
type sockets struct {
	file    string // the connection file
	tuning  connectionParameters
	receive func(*wire.Message, error) // called from several goroutines
	lost    func()                     // called when the kernel has closed a connection

	out   chan *wire.Message
	up    chan struct{} // closed when they have been connected for the first time
	first sync.Once
}

func newSockets(file string, t connectionParameters, receive func(*wire.Message, error), lost func()) *sockets {
	return &sockets{file: file, tuning: t, receive: receive, lost: lost, out: make(chan *wire.Message, 16), up: make(chan struct{})}
}

// errNoSockets means that the kernel's sockets cannot be connected.
var errNoSockets = errors.New("the kernel's sockets cannot be connected")

// await waits until the sockets are connected. After the timeout, it returns
// errNoSockets.
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

// run keeps the sockets connected until ctx ends. A new process reports its start up to
// a tenth of a second after it can be connected, and only to clients that listen.
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
				wait = s.tuning.redialTo // perhaps it will not be started again
			}
			continue
		}
		s.first.Do(func() { close(s.up) })
		set.serve(ctx)
		wait, since = s.tuning.redial, time.Now()
		s.lost()
	}
}

// processSockets is a connection to each of the sockets of one process.
type processSockets struct {
	*sockets
	*connection.Sockets
	key []byte
}

// dial connects to all sockets.
func (s *sockets) dial(ctx context.Context) (*processSockets, error) {
	ctx, cancel := context.WithTimeout(ctx, s.tuning.handshake)
	defer cancel()
	c, err := readConnection(s.file)
	if err != nil {
		return nil, err
	}
	conns, err := connection.Dial(ctx, c)
	if err != nil {
		return nil, err
	}
	return &processSockets{sockets: s, Sockets: conns, key: []byte(c.Key)}, nil
}

// serve reads and writes until one of the sockets or ctx has ended. A process that ends
// closes all sockets, each after its last message.
func (s *processSockets) serve(ctx context.Context) {
	stop := context.AfterFunc(ctx, s.Close)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := func() {
		cancel()
		for _, c := range s.All() {
			c.EndWithin(s.tuning.farewell)
		}
	}
	var tasks sync.WaitGroup
	for channel, conn := range s.Channels() {
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
	s.Close()
}

// read receives the messages of a channel until its socket has ended.
func (s *processSockets) read(channel string, conn *zmtp.Conn) {
	signed := wire.SignedCodec{Key: s.key}
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

// write sends queued messages until a socket or ctx has ended.
func (s *processSockets) write(ctx context.Context) {
	signed := wire.SignedCodec{Key: s.key}
	for {
		select {
		case m := <-s.out:
			conn := s.Channels()[m.Channel]
			if conn == nil {
				continue // there is no stdin
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

// send passes m to the writer.
func (s *sockets) send(ctx context.Context, m *wire.Message) error {
	if size := len(m.Content); size > writeLimit { // the same limit as for the websocket
		return fmt.Errorf("%w: %d bytes; at most %d", ErrRequestTooLarge, size, writeLimit)
	}
	select {
	case s.out <- m:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
