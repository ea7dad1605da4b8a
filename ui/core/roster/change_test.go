package roster

import (
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/tool"
	"easel/ui/core/rights"
	"easel/ui/core/state"
)

// TestChanges carries out changes one after another, and checks what each leads to.
func TestChanges(t *testing.T) {
	own := rights.Named(rights.All).With(rights.Network, rights.Deny)
	store := state.NewStore(state.Snapshot{AssistantKey: "k", Assistants: []state.Assistant{
		{ID: "cursor", Last: time.Unix(1, 0), Calls: 3, Rights: own},
		{ID: "zed", Name: "Twin", Last: time.Unix(2, 0)},
		{ID: "cline", Name: "twin"},
	}})
	x := Tokens{Store: store, Easel: func() string { return "a-token-of-easel" }}
	do := func(change, name, set string) Outcome {
		t.Helper()
		out, err := x.Change(Change{change, name, set})
		require.NoError(t, err)
		id, found := x.Find(out.Token)
		if has := change == Add || change == Show; found != has || has && id != out.Changed {
			t.Errorf("%s %s: the token is of %q, %v", change, name, id, found)
		}
		return out
	}
	out := do("", "", "")
	var ids []string
	for _, a := range out.Assistants {
		ids = append(ids, a.ID)
	}
	if got := strings.Join(ids, " "); got != "zed cursor cline others" || out.Assistants[1].Rights != "own" || !out.Assistants[1].Table.Equal(own) {
		t.Errorf("%s: %+v", got, out.Assistants)
	}
	for name, want := range map[string]string{"Night Runner": "night-runner", "windsurf": "windsurf", "VS Code": "vs-code", "夜": "夜"} {
		if out := do(Add, name, ""); out.Changed != want {
			t.Errorf("%s has the id %s, want %s", name, out.Changed, want)
		}
	}
	a := func(id string) state.Assistant { return store.Snapshot().Assistant(id) }
	if NameOf(a("windsurf")) != "Windsurf" || NameOf(a("night-runner")) != "Night Runner" {
		t.Errorf("called %q and %q", NameOf(a("windsurf")), NameOf(a("night-runner")))
	}
	do(Rights, "night runner", rights.Compute)
	do(Pause, "night-runner", "")
	if now := a("night-runner"); rights.NameOf(now.Rights) != rights.Compute || !now.Paused {
		t.Errorf("%+v", now)
	}
	do(Rights, "Night Runner", Default)
	do(Resume, "NIGHT-RUNNER", "")
	if now := a("night-runner"); now.Rights != nil || now.Paused {
		t.Errorf("%+v", now)
	}
	do(Rights, tool.Others, rights.Look)
	if now := a(tool.Others); rights.NameOf(now.Rights) != rights.Look {
		t.Errorf("%+v", now)
	}
	token := do(Show, "night-runner", "").Token
	do(Forget, "night-runner", "")
	if out := do(Add, "Night Runner", ""); out.Changed != "night-runner~1" || out.Token == token {
		t.Errorf("after it was forgotten: %+v", out)
	}
	if _, ok := x.Find(token); ok {
		t.Error("its former token is valid")
	}
}

// TestWrongChangesChangeNothing, and the error says what to do.
func TestWrongChangesChangeNothing(t *testing.T) {
	store := state.NewStore(state.Snapshot{Assistants: []state.Assistant{
		{ID: "cursor"},
		{ID: "zed", Name: "Twin"},
		{ID: "cline", Name: "twin"},
		{ID: "codex", Gone: true},
		{ID: "goose", Gone: true},
		{ID: "goose~1", Name: "Gander"},
	}})
	x := Tokens{Store: store, Easel: func() string { return "a-token-of-easel" }}
	for c, want := range map[Change]string{
		{Add, "", ""}: "letters, digits", {Add, "a\nb", ""}: "letters, digits", {Add, "a~1", ""}: "letters, digits",
		{Add, strings.Repeat("x", 61), ""}: "1 to 60", {Add, "Cursor", ""}: "--show cursor", {Add, "cursor", ""}: "there already",
		{Add, "TWIN", ""}: "there already", {Add, "Others", ""}: "there already", {Add, "Goose", ""}: "--show goose~1", {Add, "Zed", ""}: "there already",
		{Pause, "nobody", ""}: "there are cursor, zed, cline, goose~1, others, and --add", {Pause, "codex", ""}: "no assistant",
		{Pause, "Twin", ""}: "give one of their ids: zed, cline", {Rights, "cursor", "everything"}: "everything",
		{Forget, tool.Others, ""}: "no token of their own", {Show, tool.Others, ""}: "no token of their own", {"rename", "cursor", ""}: "too old",
	} {
		before := Of(store.Snapshot())
		out, err := x.Change(c)
		if err == nil || !strings.Contains(err.Error(), want) || out.Token != "" {
			t.Errorf("%+v: %+v, %v, want %q", c, out, err, want)
		}
		if now := Of(store.Snapshot()); len(now.Assistants) != 6 || decided(before.Assistants, now.Assistants) {
			t.Errorf("%+v has changed: %+v", c, now)
		}
	}
}
