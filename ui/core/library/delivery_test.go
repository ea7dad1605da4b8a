package library

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/library/feed"
)

// sending returns a call that ended after some seconds and sent an image.
func sending(id uint64, client string, s catalog.SentImage) catalog.Activity {
	at := time.Unix(int64(id), 0).UTC()
	return catalog.Activity{
		ID: id, Began: at, Ended: at, Transport: "mcp", Name: client, Version: "1", Client: client + " 1", Tool: "execute_code", Status: "ok",
		SessionID: "s1", Args: json.RawMessage(`{}`), Sent: []catalog.SentImage{s},
	}
}

func TestWhatEachClientGotOfAnImage(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{})
	im := add(t, l, 1)
	inline := catalog.SentImage{ImageID: im.ImageID, How: catalog.SentInline, Width: 80, Height: 60, Bytes: 999}
	link := catalog.SentImage{ImageID: im.ImageID, How: catalog.SentLink}
	before := l.Changes().Last()
	for i, x := range []struct {
		client string
		sent   catalog.SentImage
		news   bool
	}{
		{"cline", link, true},
		{"codex", link, true},
		{"codex", inline, true},
		{"codex", link, false}, // it has seen more before
		{"codex", catalog.SentImage{ImageID: im.ImageID, How: catalog.SentText}, true},
	} {
		require.NoError(t, l.Activities.Put(t.Context(), sending(uint64(i+1), x.client, x.sent)))
		now := l.Changes().Last()
		if got := l.Changes().Summary(before, now).Of(im.ImageID)&feed.Detail != 0; got != x.news {
			t.Errorf("%d: the image has changed: %v, want %v", i, got, x.news)
		}
		before = now
	}
	rest := sending(9, "python-httpx/0.27 (Linux)", inline)
	rest.Transport = "rest"
	require.NoError(t, l.Activities.Put(t.Context(), rest))
	require.NoError(t, l.Activities.Put(t.Context(), sending(10, "codex", catalog.SentImage{ImageID: "unknown", How: catalog.SentLink})))
	want := "[{cline link 0 0 0 1s} {codex inline 80 60 999 3s} {python-httpx inline 80 60 999 9s}]"
	for range 2 {
		if got := deliveries(t, l, im.ImageID); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		require.NoError(t, l.Close())
		l = open(t, dir, Options{})
	}
	require.NoError(t, l.Images.Delete(t.Context(), []string{im.ImageID}))
	if got := deliveries(t, l, im.ImageID) + deliveries(t, l, "unknown"); got != "[][]" {
		t.Errorf("of deleted images: %s", got)
	}
}

// TestWhoWasThereAndGotNothing checks that a client that worked in the session of a plot is named.
func TestWhoWasThereAndGotNothing(t *testing.T) {
	now := time.Unix(100, 0)
	l := open(t, t.TempDir(), Options{Now: func() time.Time { return now }})
	require.NoError(t, l.Sessions.Put(t.Context(), Session{ID: "s1"}))
	im := add(t, l, 1)
	for id, client := range map[uint64]string{50: "cursor", 60: "codex", 200: "too-late"} {
		a := sending(id, client, catalog.SentImage{})
		a.Sent, a.TextBytes = nil, 9
		require.NoError(t, l.Activities.Put(t.Context(), a))
	}
	before := sending(40, "of-an-earlier-easel", catalog.SentImage{})
	before.Sent = nil
	require.NoError(t, l.Activities.Put(t.Context(), before))
	require.NoError(t, l.Activities.Put(t.Context(), sending(101, "codex", catalog.SentImage{ImageID: im.ImageID, How: catalog.SentText})))
	if got := deliveries(t, l, im.ImageID); !strings.HasPrefix(got, "[{codex text 0 0 0 101s} {cursor  0 0 0 ") || strings.Count(got, "{") != 2 {
		t.Errorf("got %s", got)
	}
}

func deliveries(t *testing.T, l *Library, id string) string {
	t.Helper()
	all, err := l.Images.Deliveries(t.Context(), id)
	require.NoError(t, err)
	said := make([]string, len(all))
	for i, d := range all {
		said[i] = fmt.Sprintf("{%s %s %d %d %d %ds}", d.Client, d.How, d.Width, d.Height, d.Bytes, d.At.Unix())
	}
	return "[" + strings.Join(said, " ") + "]"
}

// TestTheLogOfASessionIsKeptAsLongAsItsPlots deletes the plots of one of two sessions.
func TestTheLogOfASessionIsKeptAsLongAsItsPlots(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	for _, s := range []string{"s1", "s2", "s3"} {
		require.NoError(t, l.Sessions.Put(t.Context(), Session{ID: s, KernelID: "k" + s}))
		require.NoError(t, l.Executions.Put(t.Context(), Execution{ID: "e" + s, SessionID: s, Code: "1", Status: catalog.StatusOK}))
	}
	one := add(t, l, 1)
	two := add(t, l, 2)
	other := add(t, l, 3, func(n *NewImage) { n.SessionID = "s2" })
	put := func(id uint64, session, execution, args string) {
		t.Helper()
		require.NoError(t, l.Activities.Put(t.Context(), catalog.Activity{ID: id, Tool: "t", SessionID: session, ExecutionID: execution, Args: json.RawMessage(args)}))
	}
	put(1, "s1", "", `{}`)                                                         // its result named the session
	put(2, "", "es1", `{}`)                                                        // its execution is of the session
	put(3, "", "", `{"session_id":"ks1"}`)                                         // it failed; it named the kernel
	put(4, "", "", fmt.Sprintf(`{"resource_uri":%q}`, one.ResourceURI))            // it is about a plot
	put(5, "", "", fmt.Sprintf(`{"uri":%q}`, one.ResourceURI+"#xywh=0,0,9,9"))     // as above
	put(6, "s2", "", `{}`)                                                         // of another session
	put(7, "", "", `{"path":"a.txt"}`)                                             // about none
	put(8, "s3", "", `{}`)                                                         // of a session that never drew
	put(9, "", "", fmt.Sprintf(`{"resource_uri":%q,"max_edge":2}`, other.ImageID)) // not an address
	left := func() (ids []uint64) {
		all, err := l.Activities.List(t.Context(), 0, 0)
		require.NoError(t, err)
		for _, a := range all {
			ids = append(ids, a.ID)
		}
		return ids
	}
	require.NoError(t, l.Images.Delete(t.Context(), []string{two.ImageID}))
	require.NoError(t, l.Images.Trash(t.Context(), []string{one.ImageID}))
	if got := left(); len(got) != 9 {
		t.Errorf("while a plot is in the trash: %v", got)
	}
	require.NoError(t, l.Images.Delete(t.Context(), []string{one.ImageID}))
	if got := fmt.Sprint(left()); got != "[9 8 7 6]" {
		t.Errorf("the log has %s", got)
	}
}

// TestCodeIsStoredOnce checks that the log of calls does not repeat what executions have.
func TestCodeIsStoredOnce(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Options{})
	ran := strings.Repeat("a_long_line()\n", 99)
	require.NoError(t, l.Executions.Put(t.Context(), Execution{ID: "e1", SessionID: "s1", Code: ran, Status: catalog.StatusOK}))
	call := func(id uint64, code, execution string) {
		t.Helper()
		args, err := json.Marshal(map[string]any{"session_id": "s1", "code": code, "wait": 3})
		require.NoError(t, err)
		require.NoError(t, l.Activities.Put(t.Context(), catalog.Activity{ID: id, Tool: runTool, ExecutionID: execution, Args: args}))
	}
	call(1, ran, "e1")
	call(2, "what was asked for", "e1") // the user edited it
	call(3, "refused", "")
	all, err := l.Activities.List(t.Context(), 0, 0)
	require.NoError(t, err)
	for i, want := range []string{"refused", "what was asked for", ran} {
		var args struct {
			Code string
			Wait int
		}
		if err := json.Unmarshal(all[i].Args, &args); err != nil || args.Code != want || args.Wait != 3 {
			t.Errorf("%d: %s, %v", i, all[i].Args, err)
		}
	}
	var stored int
	require.NoError(t, l.s.ro.QueryRowContext(t.Context(), `select count(*) from activities where body like '%a_long_line%'`).Scan(&stored))
	if stored != 0 {
		t.Error("the log has the code once more")
	}
}
