package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"easel/mcphost/bridge"
	"easel/mcphost/instance"
	"easel/mcphost/tool"
)

func TestBridgePassesMessagesBothWays(t *testing.T) {
	dir := t.TempDir()
	a := startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir})
	k.initialize()
	k.send("%s", call(1, "1", `,"_meta":{"progressToken":"tok"}`))
	p := k.notification("notifications/progress")
	if at(p, "params", "progressToken") != "tok" || at(p, "params", "message") != "half" {
		t.Errorf("progress: %v", p)
	}
	if got := at(k.answer(1), "result", "content"); !strings.Contains(fmt.Sprint(got), `"stdout":"line 1\nline 2"`) {
		t.Errorf("stdout: %v", got)
	}
	if c := a.caller(t); c.Name != "outer" || c.Version != "7" || c.Transport != tool.MCP {
		t.Errorf("the host sees %+v, want the outer client", c)
	}
	a.notify()
	k.notification("notifications/resources/list_changed")
	k.send(`{"jsonrpc":"2.0","id":2,"method":"no/such"}`)
	if code := at(k.answer(2), "error", "code"); code != float64(-32601) {
		t.Errorf("unknown method: %v", code)
	}
	k.send(`this is not JSON`)
	k.until("parse error", func(m map[string]any) bool { return at(m, "error", "code") == float64(-32700) })
	_ = k.in.Close()
	if err := <-k.done; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestBridgeStartsEasel(t *testing.T) {
	dir := t.TempDir()
	starts := 0
	k := startBridge(t, bridge.Config{DataDir: dir, Start: func(ctx context.Context) (instance.Runtime, error) {
		starts++
		startApp(t, dir)
		return instance.Find(ctx, dir)
	}})
	k.initialize()
	k.send("%s", call(1, "1", ""))
	k.answer(1)
	if starts != 1 {
		t.Errorf("started %d times", starts)
	}
}

func TestBridgeSaysWhyEaselDidNotStart(t *testing.T) {
	k := startBridge(t, bridge.Config{DataDir: t.TempDir(), Start: func(context.Context) (instance.Runtime, error) {
		return instance.Runtime{}, errors.New("no such program")
	}})
	k.send("%s", initialize)
	if text := at(k.answer(0), "error", "message"); !strings.Contains(fmt.Sprint(text), "no such program") {
		t.Errorf("got %v", text)
	}
	k.send("%s", call(1, "1", ""))
	m := k.answer(1)
	if at(m, "result", "isError") != true {
		t.Errorf("a tool call must fail as a result, which the model reads: %v", m)
	}
}

func TestBridgeForwardsACancelAndLosesNothing(t *testing.T) {
	for name, open := range map[string]struct {
		meta  string
		shake bool
	}{
		"sessions":  {"", true},
		"stateless": {`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"outer","version":"7"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a := startApp(t, dir)
			k := startBridge(t, bridge.Config{DataDir: dir})
			if open.shake {
				k.initialize()
			}
			// Both are sent in one write: the cancellation must not overtake its call.
			k.send("%s\n"+`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, call(1, "hold", open.meta))
			c := a.caller(t)
			select {
			case <-c.Cancelled:
			case <-time.After(patience):
				t.Fatal("the cancel did not arrive")
			}
			k.answer(1)

			k.send("%s", call(2, "hold", open.meta))
			c = a.caller(t)
			if c.Name != "outer" {
				t.Errorf("the host sees %+v", c)
			}
			k.stop() // as if it were killed
			if err := <-k.done; err != nil {
				t.Errorf("Run: %v", err)
			}
			a.quit() // ends the call
			select {
			case <-c.Cancelled:
				t.Error("a bridge that went away cancelled a call")
			default:
			}
		})
	}
}

func TestBridgeOutlivesARestart(t *testing.T) {
	dir := t.TempDir()
	a := startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir, Start: func(context.Context) (instance.Runtime, error) {
		return instance.Runtime{}, errors.New("must not be called")
	}})
	k.initialize()
	k.send("%s", call(1, "1", ""))
	k.answer(1)
	session := a.caller(t).Session

	k.send("%s", call(2, "hold", ""))
	a.caller(t)
	a.quit()
	m := k.answer(2)
	if text := fmt.Sprint(at(m, "result", "content")); at(m, "result", "isError") != true || !strings.Contains(text, "SHUTTING_DOWN") {
		t.Errorf("a call that the end of Easel met: %v", m)
	}
	b := startApp(t, dir)
	k.send("%s", call(3, "1", ""))
	k.answer(3)
	if c := b.caller(t); c.Name != "outer" || c.Session != session {
		t.Errorf("after the restart the host sees %+v, want outer in session %s", c, session)
	}
	b.notify()
	k.notification("notifications/resources/list_changed")
}

func TestBridgeNarrowsTheTools(t *testing.T) {
	dir := t.TempDir()
	startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir, Toolsets: "notebook"})
	k.initialize()
	k.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	tools, _ := at(k.answer(1), "result", "tools").([]any)
	for _, x := range tools {
		if name := fmt.Sprint(at(x, "name")); !strings.HasPrefix(name, "notebook_") && !strings.HasPrefix(name, "file_") {
			t.Errorf("%s is in the toolset notebook", name)
		}
	}
}

// TestBridgeRefusesWhatIsTooLong checks that the error has the request's id, wherever
// that is in the message, and that the bridge continues.
// TestBridgeTakesAByteOrderMark covers PowerShell, which writes a byte order mark to
// pipes.
func TestBridgeTakesAByteOrderMark(t *testing.T) {
	dir := t.TempDir()
	startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir})
	k.send("\xef\xbb\xbf%s\r", initialize)
	if v := at(k.answer(0), "result", "protocolVersion"); v != "2025-06-18" {
		t.Errorf("negotiated %v", v)
	}
}

// TestBridgeTellsEaselsOwnRefusal checks that a refusal by Easel is not reported as a
// failure to reach it.
func TestBridgeTellsEaselsOwnRefusal(t *testing.T) {
	dir := t.TempDir()
	startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir, Toolsets: "nope"})
	k.send("%s", call(1, "1<2", ""))
	m := k.answer(1)
	content, _ := at(m, "result", "content").([]any)
	if len(content) != 1 {
		t.Fatalf("%v", m)
	}
	text := fmt.Sprint(at(content[0], "text"))
	if !strings.Contains(text, "VALIDATION_ERROR") || !strings.Contains(text, "core, jupyter, notebook, gallery") || strings.Contains(text, "reached") {
		t.Errorf("got %s", text)
	}
}

func TestBridgeAnswersWhatWasAskedBeforeTheEnd(t *testing.T) {
	dir := t.TempDir()
	startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir})
	k.send("%s\n%s", initialize, call(1, "1", ""))
	_ = k.in.Close()
	k.answer(1)
	if err := <-k.done; err != nil {
		t.Errorf("Run: %v", err)
	}
}
