package mcphost

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestTheOwnerOfAConnectionIsFound(t *testing.T) {
	r := newRig(t)
	conn := r.dial(t)
	near, far := conn.LocalAddr().(*net.TCPAddr).AddrPort(), conn.RemoteAddr().(*net.TCPAddr).AddrPort()
	if uid, ok := userOf(near, far); !ok || uid != os.Getuid() {
		t.Errorf("user %d, %v", uid, ok)
	}
	if _, ok := userOf(netip.AddrPortFrom(near.Addr(), 1), far); ok {
		t.Error("a connection that does not exist has an owner")
	}
	for text, want := range map[string]string{
		"0100007F:1435": "127.0.0.1:5173", "00000000000000000000000001000000:1435": "[::1]:5173", "0000000000000000FFFF00000100007F:1435": "127.0.0.1:5173",
	} {
		if got := socketAt(text); got.String() != want {
			t.Errorf("%s is %v", text, got)
		}
	}
	for _, text := range []string{"", "local_address", "01:1", "0100007F:12345", "zz:1"} {
		if got := socketAt(text); got.IsValid() {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestOnlyTheUserCanUseATicket has another program use a ticket that it has read from the
// arguments of a process. A program of another user is refused, and the ticket stays valid.
// Only root can run such a program, so otherwise it is one of the same user.
func TestOnlyTheUserCanUseATicket(t *testing.T) {
	r, asked := withFigures(t)
	program := exec.CommandContext(t.Context(), "bash", "-c", fmt.Sprintf(`exec 3<>/dev/tcp/127.0.0.1/%d; printf 'GET /figures/GOOD HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3; cat <&3`, r.Port()))
	program.Dir = "/"
	if os.Getuid() != 0 {
		out, err := program.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "200 OK") || !strings.Contains(string(out), "<p>the figure") {
			t.Errorf("the same user gets %v %s", err, out)
		}
		return
	}
	program.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := program.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "403 Forbidden") || strings.Contains(string(out), "the figure") || len(*asked) != 0 {
		t.Errorf("another user gets %v %s", err, out)
	}
	if _, body := r.raw(t, "GET /figures/GOOD HTTP/1.1\nHost: localhost\nConnection: close\n\n"); body != "<p>the figure" {
		t.Errorf("the user gets %s", body)
	}
}
