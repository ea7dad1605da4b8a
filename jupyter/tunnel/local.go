package tunnel

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
)

// Local implements [jupyter.Route]. The first call opens a port of the loopback interface,
// which remains the same until Close. Whoever connects there needs the server's token.
func (t *Tunnel) Local(ctx context.Context) (*url.URL, error) {
	place, err := t.Reach(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return nil, ErrClosed
	}
	if t.local == nil {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		t.local = l
		t.tasks.Go(func() { t.accept(l) })
	}
	u := *place.URL
	u.Host = t.local.Addr().String()
	return &u, nil
}

// accept forwards connections until the listener is closed.
func (t *Tunnel) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		t.tasks.Go(func() { t.join(conn) })
	}
}

// join forwards one connection.
func (t *Tunnel) join(here net.Conn) {
	defer t.release(here)
	if !t.hold(here) {
		return
	}
	there, err := t.Dial(t.ctx)
	if err != nil {
		return
	}
	defer t.release(there)
	if !t.hold(there) {
		return
	}
	var both sync.WaitGroup
	for to, from := range map[net.Conn]net.Conn{here: there, there: here} {
		both.Go(func() {
			_, _ = io.Copy(to, from)
			_ = to.Close() // the other direction ends, too
		})
	}
	both.Wait()
}

// hold lets Close end the connection. It returns false after Close.
func (t *Tunnel) hold(conn net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conns[conn] = struct{}{}
	return t.ctx.Err() == nil
}

func (t *Tunnel) release(conn net.Conn) {
	t.mu.Lock()
	delete(t.conns, conn)
	t.mu.Unlock()
	_ = conn.Close()
}
