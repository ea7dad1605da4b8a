//go:build linux || freebsd || openbsd || netbsd

package wayland

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// maxMessage is the maximum size of a message, whose length has 16 bits.
const maxMessage = 1<<16 - 1

var errMalformed = errors.New("the compositor sent a malformed message")

// A wire sends and receives messages. One goroutine receives; any may send.
type wire struct {
	conn    *net.UnixConn
	sending sync.Mutex

	in  []byte // received, not read yet
	fds []int  // as above
}

// A message is an event of the compositor.
type message struct {
	object uint32
	code   uint16
	args   []byte
}

// dial connects to the compositor of WAYLAND_DISPLAY.
func dial() (*wire, error) {
	path := os.Getenv("WAYLAND_DISPLAY")
	if path == "" {
		return nil, errors.New("there is no Wayland display")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), path)
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("connect to the Wayland compositor: %w", err)
	}
	return &wire{conn: conn}, nil
}

// close closes the connection. The goroutine that receives must not be receiving any more.
func (w *wire) close() {
	_ = w.conn.Close()
	for _, fd := range w.fds {
		_ = unix.Close(fd)
	}
	w.fds = nil
}

// send sends a request. Its arguments are uint32 or string.
func (w *wire) send(object uint32, code uint16, args ...any) error {
	b := make([]byte, 8, 64)
	for _, a := range args {
		switch a := a.(type) {
		case uint32:
			b = binary.NativeEndian.AppendUint32(b, a)
		case string:
			b = binary.NativeEndian.AppendUint32(b, uint32(len(a)+1))
			b = append(b, a...)
			b = append(b, make([]byte, 4-len(a)%4)...) // a NUL, and up to a multiple of four
		}
	}
	if len(b) > maxMessage {
		return errors.New("the message is too long for the Wayland compositor")
	}
	binary.NativeEndian.PutUint32(b, object)
	binary.NativeEndian.PutUint32(b[4:], uint32(len(b))<<16|uint32(code))
	w.sending.Lock()
	defer w.sending.Unlock()
	_, err := w.conn.Write(b)
	return err
}

// receive waits for the next event.
func (w *wire) receive() (message, error) {
	for {
		if len(w.in) >= 8 {
			head := binary.NativeEndian.Uint32(w.in[4:])
			size := int(head >> 16)
			if size < 8 {
				return message{}, errMalformed
			}
			if len(w.in) >= size {
				m := message{binary.NativeEndian.Uint32(w.in), uint16(head), w.in[8:size:size]}
				w.in = w.in[size:]
				return m, nil
			}
		}
		if err := w.fill(); err != nil {
			return message{}, err
		}
	}
}

// fill reads from the connection.
func (w *wire) fill() error {
	data, control := make([]byte, 4096), make([]byte, unix.CmsgSpace(28*4)) // compositors send at most 28 descriptors at once
	n, c, _, _, err := w.conn.ReadMsgUnix(data, control)
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("the Wayland compositor closed the connection")
	}
	w.in = append(w.in, data[:n]...)
	parts, err := unix.ParseSocketControlMessage(control[:c])
	if err != nil {
		return fmt.Errorf("%w: %w", errMalformed, err)
	}
	for _, p := range parts {
		fds, err := unix.ParseUnixRights(&p)
		if err != nil {
			continue // it contains something else
		}
		w.fds = append(w.fds, fds...)
	}
	return nil
}

// file returns the next descriptor that was received, as a file whose writes can be
// cancelled.
func (w *wire) file() (*os.File, error) {
	if len(w.fds) == 0 {
		return nil, errMalformed
	}
	fd := w.fds[0]
	w.fds = w.fds[1:]
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), "selection"), nil
}

// word reads a number from the arguments.
func (m *message) word() uint32 {
	if len(m.args) < 4 {
		m.args = nil
		return 0
	}
	v := binary.NativeEndian.Uint32(m.args)
	m.args = m.args[4:]
	return v
}

// text reads a string from the arguments.
func (m *message) text() string {
	n := int(m.word())
	padded := (n + 3) &^ 3
	if n < 1 || padded > len(m.args) {
		m.args = nil
		return ""
	}
	s := strings.TrimRight(string(m.args[:n]), "\x00")
	m.args = m.args[padded:]
	return s
}
