// Package zmtp implements as much of ZMTP 3.0, ZeroMQ's wire protocol, as a client of a
// Jupyter kernel needs: DEALER and SUB sockets that connect over TCP or a Unix socket,
// without encryption. See https://rfc.zeromq.org/spec/23/.
//
// A [Conn] is one connection. It does not reconnect when it is lost, and it queues
// nothing. Its user knows better what a lost connection means for a kernel.
//
// # Goroutines
//
// The package starts none. One goroutine at a time may read a [Conn], and one may write
// it. Close and EndWithin may be called from any goroutine.
package zmtp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// A Kind is the type of the local socket, by its name in the handshake.
type Kind string

// The kinds. A Sub receives everything: it subscribes with the empty prefix.
const (
	Dealer Kind = "DEALER"
	Sub    Kind = "SUB"
)

// ErrProtocol means that the peer violates the protocol or does not support what this
// client needs.
var ErrProtocol = errors.New("not the ZMTP that was expected")

// ErrTooLarge means that the parts of a message exceed the reader's limit.
var ErrTooLarge = errors.New("message too large")

// The flags of a frame.
const (
	flagMore    = 1 << 0 // more frames of this message follow
	flagLong    = 1 << 1 // the size has eight bytes
	flagCommand = 1 << 2
	flagsKnown  = flagMore | flagLong | flagCommand
)

const (
	maxParts   = 1 << 16 // of a message: far more than any widget sends
	maxCommand = 64 << 10

	pongPatience = 20 * time.Second // to write the answer to a ping
)

// A Conn is a connection after its handshake.
type Conn struct {
	conn net.Conn
	r    *bufio.Reader

	mu sync.Mutex // one writer at a time, because the reader answers pings
	w  []byte     // write buffer, reused
}

// Dial connects to an address, as [net.Dial] does, as a socket of that kind with a routing
// identity. With "", the peer chooses one. readBuffer is in bytes. ctx also applies to
// the handshake.
func Dial(ctx context.Context, network, address string, kind Kind, identity string, readBuffer int) (*Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	c := &Conn{conn: conn, r: bufio.NewReaderSize(conn, readBuffer)}
	err = c.greet(kind, identity)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return c, nil
}

// The greeting: a signature, the version, the security mechanism (none), and zeros.
const greetingSize = 64

func greeting() []byte {
	g := make([]byte, greetingSize)
	g[0], g[9] = 0xFF, 0x7F
	g[10] = 3 // .0; nothing of 3.1 is needed
	copy(g[12:], "NULL")
	return g
}

func (c *Conn) greet(kind Kind, identity string) error {
	ready := []byte("\x05READY")
	ready = appendProperty(ready, "Socket-Type", string(kind))
	ready = appendProperty(ready, "Identity", identity)
	if _, err := c.conn.Write(appendFrame(greeting(), flagCommand, ready)); err != nil {
		return err
	}
	var g [greetingSize]byte
	if _, err := io.ReadFull(c.r, g[:]); err != nil {
		return err
	}
	if g[0] != 0xFF || g[9]&1 == 0 || g[10] < 3 || !bytes.Equal(g[12:32], greeting()[12:32]) {
		return fmt.Errorf("%w: its greeting begins with %x", ErrProtocol, g[:32])
	}
	flags, size, err := c.head()
	if err != nil {
		return err
	}
	if flags&flagCommand == 0 || size > maxCommand {
		return fmt.Errorf("%w: a frame of %d bytes where READY belongs", ErrProtocol, size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c.r, body); err != nil {
		return err
	}
	if !bytes.HasPrefix(body, []byte("\x05READY")) {
		return fmt.Errorf("%w: it answers %q", ErrProtocol, body[:min(len(body), 80)])
	}
	if kind == Sub { // not earlier: libzmq would take it for a part of the handshake
		_, err = c.conn.Write(appendFrame(nil, 0, []byte{1})) // every topic
	}
	return err
}

func appendProperty(to []byte, name, value string) []byte {
	to = append(append(to, byte(len(name))), name...)
	to = binary.BigEndian.AppendUint32(to, uint32(len(value)))
	return append(to, value...)
}

func appendFrame(to []byte, flags byte, body []byte) []byte {
	if len(body) > 255 {
		to = binary.BigEndian.AppendUint64(append(to, flags|flagLong), uint64(len(body)))
	} else {
		to = append(to, flags, byte(len(body)))
	}
	return append(to, body...)
}

// head reads the header of a frame.
func (c *Conn) head() (flags byte, size uint64, err error) {
	if flags, err = c.r.ReadByte(); err != nil {
		return 0, 0, err
	}
	if flags&^flagsKnown != 0 {
		return 0, 0, fmt.Errorf("%w: flags %#x", ErrProtocol, flags)
	}
	if flags&flagLong == 0 {
		b, err := c.r.ReadByte()
		return flags, uint64(b), err
	}
	var b [8]byte
	_, err = io.ReadFull(c.r, b[:])
	return flags, binary.BigEndian.Uint64(b[:]), err
}

// Read returns the parts of the next message. If the parts together exceed limit bytes,
// those that do not fit are nil and the error is ErrTooLarge; the connection stays open.
// Any other error ends the connection.
func (c *Conn) Read(limit int) (parts [][]byte, err error) {
	room, tooLarge := uint64(limit), false
	for {
		flags, size, err := c.head()
		switch {
		case err != nil:
			return nil, err
		case flags&flagCommand != 0:
			if err := c.command(size); err != nil {
				return nil, err
			}
			continue
		case len(parts) == maxParts:
			return nil, fmt.Errorf("%w: a message of more than %d parts", ErrProtocol, maxParts)
		case size > room:
			tooLarge = true
			parts = append(parts, nil)
			err = c.skip(size)
		default:
			room -= size
			part := make([]byte, size)
			parts = append(parts, part)
			_, err = io.ReadFull(c.r, part)
		}
		if err != nil {
			return nil, err
		}
		if flags&flagMore == 0 {
			if tooLarge {
				return parts, fmt.Errorf("%w: over %d bytes", ErrTooLarge, limit)
			}
			return parts, nil
		}
	}
}

// skip reads and discards size bytes.
func (c *Conn) skip(size uint64) error {
	if size > 1<<62 {
		return fmt.Errorf("%w: a part of %d bytes", ErrProtocol, size)
	}
	_, err := io.CopyN(io.Discard, c.r, int64(size))
	return err
}

// command handles a command. It answers a ping with the ping's context.
func (c *Conn) command(size uint64) error {
	if size > maxCommand {
		return fmt.Errorf("%w: a command of %d bytes", ErrProtocol, size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c.r, body); err != nil {
		return err
	}
	const ping = "\x04PING"
	if !bytes.HasPrefix(body, []byte(ping)) || len(body) < len(ping)+2 {
		return nil // from a later version
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// The deadline of the last Write may have passed.
	if err := c.conn.SetWriteDeadline(time.Now().Add(pongPatience)); err != nil {
		return err
	}
	_, err := c.conn.Write(appendFrame(nil, flagCommand, append([]byte("\x04PONG"), body[len(ping)+2:]...)))
	return err
}

// Write sends a message. It fails if that takes longer than patience. An error ends the
// connection, because the peer may have received a part.
func (c *Conn) Write(parts [][]byte, patience time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.w = c.w[:0]
	for i, part := range parts {
		flags := byte(flagMore)
		if i == len(parts)-1 {
			flags = 0
		}
		c.w = appendFrame(c.w, flags, part)
	}
	if err := c.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err := c.conn.Write(c.w)
	if cap(c.w) > 64<<10 {
		c.w = nil // do not keep the memory of a large message forever
	}
	return err
}

// EndWithin makes Read fail after d, unless the peer closes the connection before.
func (c *Conn) EndWithin(d time.Duration) { _ = c.conn.SetReadDeadline(time.Now().Add(d)) }

// Close closes the connection and unblocks Read and Write.
func (c *Conn) Close() error { return c.conn.Close() }
