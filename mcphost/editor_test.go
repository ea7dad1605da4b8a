package mcphost

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// editorRig returns a host whose editors get each message back, what tells how they end, and its token.
func editorRig(t *testing.T) (r *rig, ended chan error, token *atomic.Value) {
	t.Helper()
	token = new(atomic.Value)
	token.Store(testToken)
	r = newRig(t, func(c *Config) {
		c.Token = func() string { return token.Load().(string) }
		c.Assistant = func(token string) (string, bool) { return "a1", token == tool.AssistantToken+"1" }
	})
	ended = make(chan error, 1)
	catalog.ServeEditor.Handle(r.bus, func(_ context.Context, link catalog.EditorLink) (struct{}, error) {
		for {
			m, err := link.Receive()
			if err != nil {
				ended <- err
				return struct{}{}, err
			}
			if err := link.Send(m[:len(m)-1]); err != nil {
				ended <- err
				return struct{}{}, err
			}
		}
	}, nil)
	return r, ended, token
}

// upgrade asks for the protocol, and returns the connection, the status, and the protocol or the text of the refusal.
func (r *rig) upgrade(t *testing.T, headers ...string) (_ net.Conn, _ *bufio.Reader, status int, says string) {
	t.Helper()
	conn := r.dial(t)
	_ = conn.SetDeadline(time.Now().Add(patience))
	_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n", catalog.EditorPath, strings.Join(headers, "\r\n"))
	in := bufio.NewReader(conn)
	res, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	if says = res.Header.Get("Upgrade"); res.StatusCode != http.StatusSwitchingProtocols {
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		says = string(text)
	}
	require.NoError(t, res.Body.Close())
	return conn, in, res.StatusCode, says
}

const (
	editorAuth    = "Authorization: Bearer " + testToken
	editorConnect = "Connection: Upgrade"
	editorAsk     = "Upgrade: easel-editor/" + catalog.EditorProtocol
)

func TestAnEditorConnects(t *testing.T) {
	r, ended, token := editorRig(t)
	for name, c := range map[string]struct {
		headers []string
		want    int
		says    string
	}{
		"without a token":           {[]string{editorConnect, editorAsk}, http.StatusUnauthorized, "token"},
		"an assistant":              {[]string{"Authorization: Bearer " + tool.AssistantToken + "1", editorConnect, editorAsk}, http.StatusForbidden, "not an assistant"},
		"a page":                    {[]string{editorAuth, editorConnect, editorAsk, "Origin: http://evil.example"}, http.StatusForbidden, "Origin"},
		"no upgrade":                {[]string{editorAuth}, http.StatusBadRequest, "Upgrade: easel-editor/1"},
		"a websocket":               {[]string{editorAuth, editorConnect, "Upgrade: websocket"}, http.StatusBadRequest, "Upgrade: easel-editor/1"},
		"another version":           {[]string{editorAuth, editorConnect, "Upgrade: easel-editor/99"}, http.StatusNotImplemented, "version 1"},
		"a version that is no text": {[]string{editorAuth, editorConnect, "Upgrade: easel-editor/" + strings.Repeat("9", 500)}, http.StatusNotImplemented, "999"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, status, says := r.upgrade(t, c.headers...); status != c.want || !strings.Contains(says, c.says) {
				t.Errorf("got %d: %s", status, says)
			}
		})
	}
	conn, in, status, says := r.upgrade(t, editorAuth, editorConnect, editorAsk)
	if status != http.StatusSwitchingProtocols || says != "easel-editor/1" {
		t.Fatalf("got %d %s", status, says)
	}
	long := `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, m := range []string{`{"type":"hello"}`, long} {
		_, err := fmt.Fprintln(conn, m)
		require.NoError(t, err)
		if got, err := in.ReadString('\n'); err != nil || got != m+"\n" {
			t.Fatalf("%d bytes came back, %v", len(got), err)
		}
	}
	r.EndStreams() // another token was taken back
	_, err := fmt.Fprintln(conn, long)
	require.NoError(t, err)
	if got, err := in.ReadString('\n'); err != nil || got != long+"\n" {
		t.Fatalf("after another token was taken back: %d bytes, %v", len(got), err)
	}
	token.Store("another-" + testToken)
	r.EndStreams()
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection goes on: %v", err)
	}
	if err := <-ended; err == nil || errors.Is(err, eventbus.ErrClosed) {
		t.Errorf("ended with %v", err)
	}
}

func TestAnEditorDoesNotDelayTheEnd(t *testing.T) {
	r, ended, _ := editorRig(t)
	_, in, status, says := r.upgrade(t, editorAuth, editorConnect, editorAsk)
	if status != http.StatusSwitchingProtocols {
		t.Fatal(status, says)
	}
	r.end()
	select {
	case err := <-ended:
		if !errors.Is(err, eventbus.ErrClosed) {
			t.Errorf("ended with %v", err)
		}
	default:
		t.Error("Serve has returned before the editor's request")
	}
	if _, err := in.ReadByte(); err == nil {
		t.Error("the connection goes on")
	}
}
