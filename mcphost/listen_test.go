package mcphost

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/eventbus"
	"easel/internal/require"
)

func nothingBus() *eventbus.Bus { return eventbus.New() }

func TestListensOnBothLoopbacks(t *testing.T) {
	r := newRig(t)
	for _, host := range []string{"127.0.0.1", "::1"} {
		if host == "::1" && !hasIPv6(t) {
			continue
		}
		req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+net.JoinHostPort(host, strconv.Itoa(r.Port()))+"/api/health", nil)
		require.NoError(t, err)
		res, err := client.Do(req)
		require.NoError(t, err)
		_ = res.Body.Close()
		if res.StatusCode != 200 {
			t.Errorf("%s: %d", host, res.StatusCode)
		}
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Skip("the other addresses of this machine are unknown:", err) // under Wine
	}
	for _, a := range addrs {
		ip := a.(*net.IPNet).IP
		if ip.IsLoopback() || ip.To4() == nil {
			continue
		}
		d := net.Dialer{Timeout: time.Second}
		conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(ip.String(), strconv.Itoa(r.Port())))
		if err == nil {
			_ = conn.Close()
			t.Errorf("it listens on %s", ip)
		}
	}
}

func hasIPv6(t *testing.T) bool {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp6", "[::1]:0")
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}

func TestTakesTheNextFreePort(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	want := taken.Addr().(*net.TCPAddr).Port
	r := newRig(t, func(c *Config) { c.Port = want })
	if r.Port() == want || r.Port() == 0 {
		t.Errorf("port %d", r.Port())
	}
	note := r.PortNote()
	if !strings.Contains(note, strconv.Itoa(want)) || !strings.Contains(note, strconv.Itoa(r.Port())) {
		t.Errorf("the note %q must name both ports", note)
	}
	if runtime.GOOS == "linux" && !strings.Contains(note, "(pid ") {
		t.Errorf("the note %q does not say who has the port", note)
	}
	if newRig(t).PortNote() != "" {
		t.Error("a note about nothing")
	}
	other := newRig(t)
	again := newRig(t, func(c *Config) { c.Port, c.introduction = other.Port(), patience })
	if !strings.Contains(again.PortNote(), "another Easel") {
		t.Errorf("beside another Easel: %q", again.PortNote())
	}
}

func TestAFixedPortIsThatOrNone(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	h, err := New(Config{Bus: eventbus.New(), Token: func() string { return testToken }, Port: port, PortFixed: true})
	require.NoError(t, err)
	defer func() { _ = h.Shutdown(t.Context()) }()
	err = h.Listen(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("port %d is taken by ", port)) || h.Port() != 0 {
		t.Errorf("it listens on %d: %v", h.Port(), err)
	}
}

func TestTakesTheNextPortWhereLocalhostWouldLeadElsewhere(t *testing.T) {
	if !hasIPv6(t) {
		t.Skip("this machine has no IPv6")
	}
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp6", "[::1]:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	want := taken.Addr().(*net.TCPAddr).Port
	if r := newRig(t, func(c *Config) { c.Port = want }); r.Port() == want {
		t.Errorf("took %d, which is somebody else's on ::1", want)
	}
}
