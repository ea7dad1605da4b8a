package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/assets"
	"easel/eventbus"
	"easel/internal/mask"
	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/mcphost"
	"easel/mcphost/catalog"
	"easel/mcphost/instance"
	"easel/ui/core/library"
	"easel/ui/core/settings"
)

// TestInstructionsFitWhatClientsRead checks the instructions against the limits of
// clients. Those that defer tools read only the first paragraph, and some cut the text
// at 2,048 characters.
func TestInstructionsFitWhatClientsRead(t *testing.T) {
	text := assets.Instructions
	if n := len([]rune(text)); n >= 2048 {
		t.Errorf("%d characters", n)
	}
	first, _, _ := strings.Cut(text, "\n\n")
	for _, task := range []string{"run code", "plots", "notebooks", "data files"} {
		if !strings.Contains(first, task) {
			t.Errorf("the first paragraph does not name %q: %s", task, first)
		}
	}
	known := make(map[string]bool)
	for _, x := range catalog.All() {
		s := x.Spec()
		known[s.Name] = true
		for _, schema := range []map[string]*jsonschema.Schema{s.In.Properties, s.Out.Properties} {
			for name := range schema {
				known[name] = true
			}
		}
	}
	for _, code := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(text, -1) {
		switch name := code[1]; {
		case known[name], slices.Contains([]string{"running", "queued", "awaiting_approval", "latest", "selected"}, name):
		default:
			t.Errorf("there is no tool, parameter or field %q", name)
		}
	}
}

// TestANewTokenIsPublished covers the window's button for a new token. The stream of a
// client with the old token ends, and the client is refused. A client that reads the
// runtime file can continue.
func TestANewTokenIsPublished(t *testing.T) {
	dir := t.TempDir()
	mine, err := instance.Lock(t.Context(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = mine.Close() })
	e := &easel{options: settings.Options{DataDir: dir}, log: slog.New(slog.DiscardHandler), mask: mask.New(), mine: mine, host: &host{}}
	old, err := instance.Token(dir)
	require.NoError(t, err)
	e.host.token.Store(&old)
	if e.host.Host, err = mcphost.New(mcphost.Config{Bus: eventbus.New(), Token: e.host.Token, Log: e.log}); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, e.host.Listen(t.Context()))
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- e.host.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	get := func(path, token string) (status int, body io.Reader) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.host.URL()+path, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		t.Cleanup(func() { _ = res.Body.Close() })
		return res.StatusCode, res.Body
	}
	status, events := get("/api/events", old)
	if status != http.StatusOK {
		t.Fatal(status)
	}

	require.NoError(t, e.rotateToken())
	for lines := bufio.NewScanner(events); lines.Scan(); { // until the stream ends
		t.Logf("the old client still read %q", lines.Text())
	}
	if status, _ := get("/tools", old); status != http.StatusUnauthorized {
		t.Errorf("with the old token: %d", status)
	}
	now, err := instance.Find(t.Context(), dir)
	if err != nil || now.Token == old {
		t.Fatalf("the runtime file has %+v, %v", now, err)
	}
	if got := e.mask.String(now.Token); got != string(mask.Easel) {
		t.Errorf("the new token is not masked: %s", got)
	}
	if status, _ := get("/tools", now.Token); status != http.StatusOK {
		t.Errorf("with the new token: %d", status)
	}
	if kept, err := instance.Token(dir); err != nil || kept != now.Token {
		t.Errorf("the next start would use another token, %v", err)
	}
}

// TestTheWayOutLeavesNobodyWaitingAndNothingUnwritten quits during a call. Easel closes
// the host before the bus, the bus before the kernels, and the library last. The test
// sees this by what each received: the call its answer, the bus and the library the end
// of the call, and the kernel no request to stop.
func TestTheWayOutLeavesNobodyWaitingAndNothingUnwritten(t *testing.T) {
	server := jupytertest.NewServer(t)
	e, stop := opened(t, server)
	_, made, err := callTool(e, "session_create", map[string]any{})
	if err != nil || made["session_id"] == nil {
		t.Fatal(made, err)
	}
	session := made["session_id"].(string)
	kernel := server.Kernels()[slices.IndexFunc(server.Kernels(), func(k *jupytertest.Kernel) bool { return strings.Contains(made["kernel_id"].(string), k.ID) })]
	begun := make(chan struct{})
	kernel.OnExecute(func(x *jupytertest.Execution) {
		x.Busy()
		x.Input()
		x.Stream("stdout", "half way\n")
		close(begun)
		select { // and runs longer than Easel
		case <-x.Context().Done():
		case <-x.Interrupted():
			t.Error("the kernel was interrupted")
		}
	})
	ends := make(chan catalog.Activity, 8)
	watched := make(chan struct{})
	activities := catalog.Activities.Watch(context.Background(), e.bus, 64)
	go func() { // until the bus is closed
		defer close(watched)
		for a, err := range activities {
			if err == nil && !a.Ended.IsZero() {
				ends <- a
			}
		}
	}()
	changes := catalog.Changes.Watch(t.Context(), e.bus, 64)
	type answer struct {
		status int
		body   map[string]any
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		status, body, err := callTool(e, "execute_code", map[string]any{"session_id": session, "code": "long()", "wait": 50})
		answered <- answer{status, body, err}
	}()
	<-begun
	for c, err := range changes { // until its output has arrived here
		if x, ok := c.Object.(catalog.Execution); err == nil && ok && x.Stdout == "half way\n" {
			break
		}
	}

	stop(errQuit)
	if err := e.quit(); err != nil {
		t.Errorf("on the way out: %v", err)
	}
	a := <-answered // the state so far, or that Easel is shutting down, whichever came first
	if a.err != nil || a.body["code"] != "SHUTTING_DOWN" && a.body["status"] != catalog.StatusRunning {
		t.Errorf("the call at work was answered %+v", a)
	}
	if _, _, err := callTool(e, "session_list", map[string]any{}); err == nil {
		t.Error("a call was served after the end")
	}
	<-watched
	close(ends)
	told := ""
	for a := range ends {
		if a.Tool == "execute_code" {
			told = a.Status
		}
	}
	if told != "SHUTTING_DOWN" && told != catalog.StatusOK {
		t.Errorf("the bus carried %q of the call's end", told)
	}
	if _, err := e.Library.Sessions.All(t.Context()); err == nil {
		t.Error("the library is open after the end")
	}
	afterwards(t, e.Library.Dir(), told)
	for _, r := range server.Requests() {
		if strings.HasPrefix(r, http.MethodDelete) || strings.Contains(r, "interrupt") || strings.Contains(r, "restart") {
			t.Errorf("the kernel of a server that Easel did not start was asked for %s", r)
		}
	}
}

// afterwards checks that the library has the end of the call as the bus reported it.
func afterwards(t *testing.T, dir, told string) {
	t.Helper()
	kept, err := library.Open(t.Context(), dir, library.Options{})
	require.NoError(t, err)
	log, err := kept.Activities.List(t.Context(), 0, 10)
	if err != nil || !slices.ContainsFunc(log, func(a catalog.Activity) bool { return a.Tool == "execute_code" && a.Status == told }) {
		t.Errorf("the library's log does not have the call's end: %+v, %v", log, err)
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
}

// opened returns an Easel without a window, with a fake Jupyter.
func opened(t *testing.T, server *jupytertest.Server) (e *easel, stop context.CancelCauseFunc) {
	t.Helper()
	t.Setenv("HOME", t.TempDir()) // so that it does not find the user's servers
	t.Setenv("JUPYTER_RUNTIME_DIR", t.TempDir())
	dir := t.TempDir()
	mine, err := instance.Lock(t.Context(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = mine.Close() })
	ctx, stop := context.WithCancelCause(context.Background())
	t.Cleanup(func() { stop(nil) })
	e = &easel{
		options: settings.Options{DataDir: dir, RootDir: t.TempDir(), JupyterURL: server.URL, JupyterToken: server.Token, Port: jupytertest.FreePort(t), Headless: true},
		bus:     eventbus.New(), log: slog.New(slog.DiscardHandler), mine: mine, started: time.Now().UTC(), served: make(chan error, 1), stop: stop,
	}
	require.NoError(t, e.open(ctx, true))
	return e, stop
}

func callTool(e *easel, tool string, args map[string]any) (status int, answer map[string]any, err error) {
	raw, _ := json.Marshal(args)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, e.host.URL()+"/tools/"+tool+"/execute", bytes.NewReader(raw))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+e.host.Token())
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	return res.StatusCode, answer, err
}
