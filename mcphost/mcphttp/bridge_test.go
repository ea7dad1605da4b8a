package mcphttp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestABridgeThatIsKilled is noticed by its connections, of which it closes none before it has its answer.
func TestABridgeThatIsKilled(t *testing.T) {
	for name, c := range map[string]struct {
		stream, bridge bool
		want           string
	}{
		"while a call waits":          {bridge: true, want: "bridge b"},
		"while it listens":            {stream: true, bridge: true, want: "bridge b"},
		"a client without a bridge":   {},
		"another client that listens": {stream: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan string, 9)
			h := newHandler(t, Config{Ended: func(holder string) { ended <- holder }}, func(ctx context.Context, _ *Call) { <-ctx.Done() })
			key, id, _ := strings.Cut(begin(t, h), ": ")
			ctx, kill := context.WithCancel(t.Context())
			method, body := http.MethodPost, fmt.Sprintf(callRun, 1)
			if c.stream {
				method, body = http.MethodGet, ""
			}
			r := httptest.NewRequestWithContext(ctx, method, "/mcp", strings.NewReader(body))
			r.Header.Set(key, id)
			if c.bridge {
				r.Header.Set(HeaderBridge, "b")
			}
			go h.ServeHTTP(httptest.NewRecorder(), r)
			synctest.Wait()
			kill()
			synctest.Wait()
			got := ""
			if len(ended) > 0 {
				got = <-ended
			}
			if got != c.want {
				t.Errorf("%s: %q has ended, want %q", name, got, c.want)
			}
			time.Sleep(2 * lateFor) // the call ends
		})
	}
}

// An impatient client closes its connection as soon as it has the answer.
type impatient struct {
	*httptest.ResponseRecorder
	leave func()
}

func (w impatient) Write(b []byte) (int, error) {
	w.leave()
	time.Sleep(time.Millisecond) // the server notices it before the handler returns
	return w.ResponseRecorder.Write(b)
}

// TestABridgeThatHasItsAnswer has not ended: it uses a connection for each call.
func TestABridgeThatHasItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 9)
		h := newHandler(t, Config{Ended: func(holder string) { ended <- holder }}, func(context.Context, *Call) {})
		key, id, _ := strings.Cut(begin(t, h), ": ")
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(fmt.Sprintf(callRun, 1)))
		r.Header.Set(key, id)
		r.Header.Set(HeaderBridge, "b")
		h.ServeHTTP(impatient{httptest.NewRecorder(), leave}, r)
		synctest.Wait()
		if len(ended) > 0 {
			t.Errorf("%q has ended", <-ended)
		}
		time.Sleep(2 * lateFor)
	})
}
