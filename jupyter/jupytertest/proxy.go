package jupytertest

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"easel/internal/require"
)

// A Proxy is between a client and a server and loses their connections, as networks do.
type Proxy struct {
	URL string // the server's, through the proxy

	target string
	l      net.Listener
	tasks  sync.WaitGroup

	mu     sync.Mutex
	conns  map[*proxyConn]bool
	away   chan struct{} // new connections wait until it is closed; nil if they do not wait
	closed bool
}

// proxyConn is one connection through the proxy.
type proxyConn struct {
	client, server net.Conn
	frozen         chan struct{} // closed by Freeze
	parted         chan struct{} // closed by Sleep, which closes the server's end
	once, parting  sync.Once
}

// NewProxy starts a proxy in front of the server at target. It ends with the test.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	u, err := url.Parse(target)
	require.NoError(t, err)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &Proxy{target: u.Host, l: l, conns: make(map[*proxyConn]bool)}
	u.Host = l.Addr().String()
	p.URL = u.String()
	p.tasks.Go(p.accept)
	t.Cleanup(func() {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		_ = l.Close()
		p.Wake()
		p.Cut()
		p.tasks.Wait()
	})
	return p
}

func (p *Proxy) accept() {
	for {
		client, err := p.l.Accept()
		if err != nil {
			return // it was closed
		}
		p.mu.Lock()
		away := p.away
		p.mu.Unlock()
		p.tasks.Go(func() {
			if away != nil {
				<-away
			}
			p.connect(client)
		})
	}
}

// connect forwards data between client and server.
func (p *Proxy) connect(client net.Conn) {
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	c := &proxyConn{client: client, server: server, frozen: make(chan struct{}), parted: make(chan struct{})}
	p.mu.Lock()
	p.conns[c] = true
	closed := p.closed
	p.mu.Unlock()
	if closed {
		c.cut()
	}
	p.tasks.Go(func() { c.pass(client, server) })
	p.tasks.Go(func() { c.pass(server, client) })
}

// pass copies until an end closes. Once frozen, it silently forwards nothing.
func (c *proxyConn) pass(to, from net.Conn) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		select {
		case <-c.frozen:
			if err == nil {
				continue
			}
		default:
			if _, werr := to.Write(buf[:n]); err == nil {
				err = werr
			}
		}
		select {
		case <-c.parted: // the client does not notice
			if from == c.server {
				return
			}
		default:
		}
		if err != nil {
			if err == io.EOF { //nolint:errorlint // net.Conn's own
				_ = to.Close()
			}
			c.cut()
			return
		}
	}
}

func (c *proxyConn) cut() {
	for _, conn := range []net.Conn{c.client, c.server} {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
}

// Cut breaks all connections.
func (p *Proxy) Cut() {
	p.each(func(c *proxyConn) { c.cut() })
}

// Freeze makes all current connections silently dead. New ones work.
func (p *Proxy) Freeze() {
	p.each(func(c *proxyConn) { c.once.Do(func() { close(c.frozen) }) })
}

// Sleep does to connections what a sleeping laptop does: no data passes, the server has
// closed its end without the client noticing, and new connections wait until Wake.
func (p *Proxy) Sleep() {
	p.mu.Lock()
	p.away = make(chan struct{})
	p.mu.Unlock()
	p.Freeze()
	p.each(func(c *proxyConn) {
		c.parting.Do(func() {
			close(c.parted)
			_ = c.server.Close()
		})
	})
}

// Wake lets new connections through. Those from before stay dead.
func (p *Proxy) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away != nil {
		close(p.away)
		p.away = nil
	}
}

func (p *Proxy) each(f func(*proxyConn)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		f(c)
	}
}
