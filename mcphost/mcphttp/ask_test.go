package mcphttp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"easel/internal/require"
)

// An asked is a client that is asked on a call.
type asked struct {
	t       *testing.T
	server  *httptest.Server
	session string
}

func newAsked(t *testing.T, run func(ctx context.Context, c *Call)) *asked {
	h := newHandler(t, Config{}, run)
	c := &asked{t: t, server: httptest.NewServer(h), session: strings.TrimPrefix(begin(t, h), "Mcp-Session-Id: ")}
	t.Cleanup(c.server.Close)
	return c
}

// post sends a message, and returns the events of the answer.
func (c *asked) post(body, accept string) (status int, events *bufio.Scanner) {
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.server.URL, strings.NewReader(body))
	require.NoError(c.t, err)
	r.Header.Set("Mcp-Session-Id", c.session)
	r.Header.Set("Accept", accept)
	res, err := http.DefaultClient.Do(r)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { _ = res.Body.Close() })
	return res.StatusCode, bufio.NewScanner(res.Body)
}

// next returns the next message of a stream.
func (c *asked) next(events *bufio.Scanner) (m message) {
	for events.Scan() {
		if data, ok := strings.CutPrefix(events.Text(), "data: "); ok {
			require.NoError(c.t, json.Unmarshal([]byte(data), &m))
			return m
		}
	}
	c.t.Fatal("the stream has ended")
	return m
}

const both = "application/json, text/event-stream"

func TestAClientIsAskedOnItsCall(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`"result":{"action":"accept"}`:        `{"action":"accept"}`,
		`"error":{"code":-1,"message":"No."}`: `the client has refused the request: {"code":-1,"message":"No."}`,
	} {
		var got string
		c := newAsked(t, func(ctx context.Context, c *Call) {
			raw, err := c.Ask(ctx, "elicitation/create", map[string]any{"message": "May it?"}, nil)
			if got = string(raw); err != nil {
				got = err.Error()
			}
		})
		_, events := c.post(fmt.Sprintf(callRun, 1), both)
		m := c.next(events)
		if m.Method != "elicitation/create" || !strings.Contains(string(m.Params), "May it?") {
			t.Errorf("the client gets %+v", m)
		}
		for _, id := range []string{`"easel-request-1"`, `7`, string(m.ID), string(m.ID)} { // only its own id counts, and once
			if status, _ := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, answer), both); status != http.StatusAccepted {
				t.Errorf("the answer gets %d", status)
			}
		}
		if m := c.next(events); m.Result == nil || got != want {
			t.Errorf("the call got %q, and the client %+v", got, m)
		}
	}
}

func TestAClientIsToldThatAQuestionIsOver(t *testing.T) {
	t.Parallel()
	answered := make(chan struct{})
	c := newAsked(t, func(ctx context.Context, c *Call) {
		ctx, cancel := context.WithCancel(ctx)
		go func() {
			<-answered
			cancel()
		}()
		if _, err := c.Ask(ctx, "elicitation/create", nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	_, events := c.post(fmt.Sprintf(callRun, 1), both)
	request := c.next(events)
	close(answered)
	var over struct{ RequestID json.RawMessage }
	m := c.next(events)
	require.NoError(t, json.Unmarshal(m.Params, &over))
	if m.Method != "notifications/cancelled" || string(over.RequestID) != string(request.ID) {
		t.Errorf("the client gets %+v", m)
	}
}

func TestNobodyIsAskedWithoutAStream(t *testing.T) {
	t.Parallel()
	var got error
	run := func(ctx context.Context, c *Call) { _, got = c.Ask(ctx, "elicitation/create", nil, nil) }
	c := newAsked(t, run)
	c.post(fmt.Sprintf(callRun, 1), "application/json")
	if !errors.Is(got, ErrNoRequests) {
		t.Errorf("a client that reads no streams: %v", got)
	}
	got = nil
	post(newHandler(t, Config{}, run), fmt.Sprintf(callRun, 1))
	if !errors.Is(got, ErrNoRequests) {
		t.Errorf("a client without a session: %v", got)
	}
}
