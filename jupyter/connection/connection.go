// Package connection reads a kernel's connection file and connects to the kernel's own
// sockets. See "Connection files" in jupyter-client's documentation.
//
// # Goroutines
//
// It starts none; its functions run on their caller's goroutine.
package connection

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strconv"

	"easel/internal/system"
	"easel/jupyter/wire"
	"easel/jupyter/zmtp"
)

// Why a connection file is of no use.
var (
	ErrInvalid   = errors.New("it is not a connection file")
	ErrElsewhere = errors.New("the kernel listens on another machine")
	ErrEncrypted = errors.New("the kernel encrypts its messages (CurveZMQ)")
	ErrSignature = errors.New("the kernel signs its messages with another scheme")
)

// The transports.
const (
	TCP = "tcp"
	IPC = "ipc" // sockets in the file system: File.IP is the beginning of their paths
)

// A File is the content of a connection file.
type File struct {
	Transport       string `json:"transport"`
	IP              string `json:"ip"`
	ShellPort       int    `json:"shell_port"`
	ControlPort     int    `json:"control_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"` // 0 if the file has none; then no code can ask for input
	Key             string `json:"key"`
	SignatureScheme string `json:"signature_scheme"`
	CurvePublicKey  string `json:"curve_publickey"` // of a kernel that uses encryption
	KernelName      string `json:"kernel_name"`     // of its kernelspec; not every program writes it
}

// Format keeps the key out of formatted output.
func (f File) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, f.Transport+"://"+f.IP) }

// maxFile is the maximum size of a connection file in bytes. Usually it has 300.
const maxFile = 64 << 10

// maxKey is the maximum length of a key in bytes. Usually it has 33.
const maxKey = 4 << 10

// Read reads a connection file that belongs to the user and that nobody else can change.
// Errors: ErrInvalid, [system.ErrNotPrivate], and those of the file system.
func Read(path string) (f File, err error) {
	data, err := system.ReadPrivate(path, maxFile)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return File{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	for _, port := range append(f.Ports(), max(f.StdinPort, 1)) {
		if port <= 0 || port > 65535 {
			return File{}, fmt.Errorf("%w: port %d", ErrInvalid, port)
		}
	}
	f.StdinPort = max(f.StdinPort, 0)
	switch {
	case f.Transport == "":
		f.Transport = TCP
	case f.Transport != TCP && f.Transport != IPC:
		return File{}, fmt.Errorf("%w: transport %.20q", ErrInvalid, f.Transport)
	}
	if len(f.Key) > maxKey {
		return File{}, fmt.Errorf("%w: a key of %d bytes", ErrInvalid, len(f.Key))
	}
	if f.Transport == TCP && (f.IP == "localhost" || f.IP == "0.0.0.0" || f.IP == "*") {
		f.IP = "127.0.0.1" // how to reach it from here
	}
	return f, nil
}

// Ports returns the numbers of the sockets that a client needs.
func (f File) Ports() []int { return []int{f.ShellPort, f.ControlPort, f.IOPubPort} }

// Check reports why this client cannot connect to the kernel. Errors: ErrElsewhere,
// ErrEncrypted, ErrSignature.
func (f File) Check() error {
	if f.Transport == IPC {
		if !filepath.IsAbs(f.IP) {
			return fmt.Errorf("%w: its sockets are at %q, relative to a directory that is unknown", ErrElsewhere, f.IP)
		}
	} else if ip := net.ParseIP(f.IP); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%w: %q", ErrElsewhere, f.IP)
	}
	if f.CurvePublicKey != "" {
		return ErrEncrypted
	}
	if f.Key != "" && f.SignatureScheme != "" && f.SignatureScheme != wire.SignatureScheme {
		return fmt.Errorf("%w: %q", ErrSignature, f.SignatureScheme)
	}
	return nil
}

// Address returns the network and address of a socket by its number, for [net.Dial].
func (f File) Address(port int) (network, address string) {
	if f.Transport == IPC {
		return "unix", f.IP + "-" + strconv.Itoa(port)
	}
	return TCP, net.JoinHostPort(f.IP, strconv.Itoa(port))
}

// Sockets are connections to a kernel's sockets. Stdin is nil if the connection file does not have it.
type Sockets struct{ Shell, Control, IOPub, Stdin *zmtp.Conn }

// Dial connects to a kernel's sockets. iopub is first: a client must listen before a
// request causes messages on it. A kernel asks the client for input whose identity on stdin is that
// of the request on shell.
func Dial(ctx context.Context, f File) (*Sockets, error) {
	s, identity := new(Sockets), rand.Text()
	for _, d := range []struct {
		conn     **zmtp.Conn
		kind     zmtp.Kind
		port     int
		identity string
		buffer   int
	}{
		{&s.IOPub, zmtp.Sub, f.IOPubPort, "", 64 << 10},
		{&s.Control, zmtp.Dealer, f.ControlPort, "", 4 << 10},
		{&s.Stdin, zmtp.Dealer, f.StdinPort, identity, 4 << 10},
		{&s.Shell, zmtp.Dealer, f.ShellPort, identity, 4 << 10},
	} {
		if d.port == 0 {
			continue
		}
		var err error
		network, address := f.Address(d.port)
		if *d.conn, err = zmtp.Dial(ctx, network, address, d.kind, d.identity, d.buffer); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// All returns the connections.
func (s *Sockets) All() []*zmtp.Conn { return slices.Collect(maps.Values(s.Channels())) }

// Channels returns the connections by the names of their channels.
func (s *Sockets) Channels() map[string]*zmtp.Conn {
	all := map[string]*zmtp.Conn{wire.Shell: s.Shell, wire.Control: s.Control, wire.IOPub: s.IOPub, wire.Stdin: s.Stdin}
	maps.DeleteFunc(all, func(_ string, c *zmtp.Conn) bool { return c == nil })
	return all
}

// Close closes the connections.
func (s *Sockets) Close() {
	for _, c := range s.All() {
		_ = c.Close()
	}
}
