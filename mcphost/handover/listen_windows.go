package handover

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

// Listen listens on a named pipe that only this user can open. Its name is random, and in
// the runtime file.
func Listen(string) (*Listener, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("handover: %w", err)
	}
	name := `\\.\pipe\easel-` + rand.Text()
	l, err := winio.ListenPipe(name, &winio.PipeConfig{SecurityDescriptor: "D:P(A;;GA;;;" + user.User.Sid.String() + ")"})
	if err != nil {
		return nil, fmt.Errorf("handover: %w", err)
	}
	return &Listener{Address: name, net: l}, nil
}

func dial(ctx context.Context, address string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, address)
}

// checkPeer returns nil: the pipe's access list has kept others away.
func checkPeer(net.Conn, int) error { return nil }
