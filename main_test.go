package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/assets"
	"easel/eventbus"
	"easel/mcphost"
	"easel/mcphost/catalog"
	"easel/mcphost/instance"
	"easel/ui/core/settings"
)

// TestInstructionsFitWhatClientsRead: those that defer tools read the first paragraph
// only, and some cut the whole at 2,048 characters.
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

// TestANewTokenIsPublished: what the window's button does. A client that listens
// with the old token is ended and refused; who reads the runtime file goes on.
func TestANewTokenIsPublished(t *testing.T) {
	dir := t.TempDir()
	mine, err := instance.Lock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	e := &easel{options: settings.Options{DataDir: dir}, log: slog.New(slog.DiscardHandler), mine: mine, host: &host{}}
	old, err := instance.Token(dir)
	if err != nil {
		t.Fatal(err)
	}
	e.host.token.Store(&old)
	if e.host.Host, err = mcphost.New(mcphost.Config{Bus: eventbus.New(), Token: e.host.Token, Log: e.log}); err != nil {
		t.Fatal(err)
	}
	if err := e.host.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res.StatusCode, res.Body
	}
	status, events := get("/api/events", old)
	if status != http.StatusOK {
		t.Fatal(status)
	}

	if err := e.rotateToken(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(events); lines.Scan(); { // to its end
		t.Logf("the old client still read %q", lines.Text())
	}
	if status, _ := get("/tools", old); status != http.StatusUnauthorized {
		t.Errorf("with the old token: %d", status)
	}
	now, err := instance.Find(t.Context(), dir)
	if err != nil || now.Token == old {
		t.Fatalf("the runtime file has %+v, %v", now, err)
	}
	if status, _ := get("/tools", now.Token); status != http.StatusOK {
		t.Errorf("with the new token: %d", status)
	}
	if kept, err := instance.Token(dir); err != nil || kept != now.Token {
		t.Errorf("the next start would use another token, %v", err)
	}
}
