//go:build unix

package handover

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// socketFile is the socket's name in the data directory.
const socketFile = "easel.sock"

// Listen listens in a data directory that the caller has locked. If there can be no socket,
// because the path is too long or the disk has none, Listen makes one in a private directory
// for temporary files.
func Listen(dataDir string) (*Listener, error) {
	path := filepath.Join(dataDir, socketFile)
	l, err := listen(path)
	if err == nil {
		return &Listener{Address: path, net: l}, nil
	}
	dir, err2 := os.MkdirTemp("", "easel-")
	if err2 != nil {
		return nil, fmt.Errorf("handover: %w", errors.Join(err, err2))
	}
	path = filepath.Join(dir, socketFile)
	l, err2 = listen(path)
	if err2 != nil {
		_ = os.Remove(dir)
		return nil, fmt.Errorf("handover: %w", errors.Join(err, err2))
	}
	return &Listener{Address: path, net: l, cleanup: func() { _ = os.RemoveAll(dir) }}, nil
}

// listen replaces a socket that a crash left behind. The socket is for the user only; until
// it is, its directory and checkPeer keep others away.
func listen(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket {
		_ = os.Remove(path) // if that fails, Listen does, too
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

func dial(ctx context.Context, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "unix", address)
}

// checkPeer returns an error unless the other end belongs to the user.
func checkPeer(c net.Conn, user int) error {
	socket, ok := c.(*net.UnixConn)
	if !ok {
		return errForeign
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	uid, err := -1, error(nil)
	if failed := raw.Control(func(fd uintptr) { uid, err = peer(int(fd)) }); failed != nil {
		return failed
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errForeign, err)
	}
	if uid != user {
		return fmt.Errorf("%w (%d)", errForeign, uid)
	}
	return nil
}
