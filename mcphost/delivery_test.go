package mcphost

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"iter"
	"slices"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// pictureOf returns the size and the length of a picture in base64, as its client sees it.
func pictureOf(t *testing.T, data string) (size [3]int) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(data)
	require.NoError(t, err)
	c, _, err := image.DecodeConfig(bytes.NewReader(raw))
	require.NoError(t, err)
	return [3]int{c.Width, c.Height, len(raw)}
}

// nextEnd returns the next call that ended.
func nextEnd(t *testing.T, next func() (catalog.Activity, error, bool)) catalog.Activity {
	t.Helper()
	for {
		a, err, ok := next()
		if err != nil || !ok {
			t.Fatal("no call has ended", err)
		}
		if !a.Ended.IsZero() {
			return a
		}
	}
}

// TestACallSaysWhatItsClientGot compares what calls say with what the client received.
func TestACallSaysWhatItsClientGot(t *testing.T) {
	r := newRig(t)
	next, stop := iter.Pull2(catalog.Activities.Watch(t.Context(), r.bus, 100))
	defer stop()
	s := r.initialize(t, "x")
	for code, want := range map[string]map[string]int{
		"plots 6":    {catalog.SentInline: 4, catalog.SentLink: 2},
		"plots 300":  {catalog.SentInline: 4, catalog.SentLink: 16},
		"links 2":    {catalog.SentLink: 2},
		"blind 2":    {catalog.SentLink: 2},
		"unlinked 2": {catalog.SentText: 2},
		"echo no":    {},
	} {
		m := r.rpc(t, s, "tools/call", fmt.Sprintf(`{"name":"execute_code","arguments":{"session_id":"s1","code":%q}}`, code))
		a := nextEnd(t, next)
		got := make(map[string]int)
		pictures := blocks(m["result"], "image")
		for _, x := range a.Sent {
			if x.How == catalog.SentInline {
				if p := pictureOf(t, pictures[got[x.How]]["data"].(string)); p != [3]int{x.Width, x.Height, x.Bytes} {
					t.Errorf("%s: the client got %v, the call says %+v", code, p, x)
				}
			}
			got[x.How]++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || len(pictures) != want[catalog.SentInline] {
			t.Errorf("%s: the call says %v, want %v; the client got %d pictures", code, got, want, len(pictures))
		}
		if text := at(m, "result", "content", 0, "text").(string); a.TextBytes != int64(len(text)) || a.LeftOut != 0 {
			t.Errorf("%s: %d bytes of text, and %d left out; the client got %d", code, a.TextBytes, a.LeftOut, len(text))
		}
	}
	m := r.rpc(t, s, "tools/call", `{"name":"execute_code","arguments":{"session_id":"s1","code":"print 950000"}}`)
	a := nextEnd(t, next)
	if text := at(m, "result", "content", 0, "text").(string); a.TextBytes != int64(len(text)) || a.LeftOut+a.TextBytes < 950_000 || a.LeftOut > 950_000 {
		t.Errorf("much text: %d bytes, and %d left out; the client got %d", a.TextBytes, a.LeftOut, len(text))
	}
}

// TestLaterFetchesAreDeliveries reads images in other ways than by running code.
func TestLaterFetchesAreDeliveries(t *testing.T) {
	r := newRig(t)
	next, stop := iter.Pull2(catalog.Activities.Watch(t.Context(), r.bus, 100))
	defer stop()
	s := r.initialize(t, "x")
	uri := testImage("s1", 1).ResourceURI
	one := func(what, client, how string, size [3]int) {
		t.Helper()
		a := nextEnd(t, next)
		if len(a.Sent) != 1 || a.Sent[0] != (catalog.SentImage{ImageID: "img0001", How: how, Width: size[0], Height: size[1], Bytes: size[2]}) || a.Name != client {
			t.Errorf("%s: %s got %+v, want %s %v by %s", what, a.Name, a.Sent, how, size, client)
		}
	}
	m := r.rpc(t, s, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
	one("resources/read", "x", catalog.SentInline, pictureOf(t, at(m, "result", "contents", 0, "blob").(string)))
	m = r.rpc(t, s, "tools/call", fmt.Sprintf(`{"name":"get_image_resource","arguments":{"resource_uri":%q}}`, uri))
	one("get_image_resource", "x", catalog.SentInline, pictureOf(t, blocks(m["result"], "image")[0]["data"].(string)))
	r.rpc(t, s, "tools/call", `{"name":"list_session_images","arguments":{"session_id":"s1"}}`)
	one("a list", "x", catalog.SentText, [3]int{})
	res, body := r.do(t, "GET", hrefOf(uri), "", "User-Agent: script/2")
	one("its file", "script/2", catalog.SentInline, pictureOf(t, base64.StdEncoding.EncodeToString(body)))
	r.do(t, "GET", hrefOf(uri), "", "User-Agent: script/2", "If-None-Match: "+res.Header.Get("ETag")) // it has it: no call
	r.rpc(t, s, "resources/read", `{"uri":"jupyter://sessions/s1/images/img0001/data.csv"}`)
	one("its values", "x", catalog.SentText, [3]int{})
}

// TestAPlotIsSentAgain with the next result that can have pictures, once.
func TestAPlotIsSentAgain(t *testing.T) {
	r := newRig(t)
	next, stop := iter.Pull2(catalog.Activities.Watch(t.Context(), r.bus, 100))
	defer stop()
	var waiting []catalog.SentAgain
	catalog.AnnouncePlots.Handle(r.bus, func(context.Context, struct{}) ([]catalog.SentAgain, error) {
		now := waiting
		waiting = nil
		return now, nil
	}, nil)
	s := r.initialize(t, "x")
	one, two := testImage("s1", 1), testImage("s1", 2)
	for _, c := range []struct {
		what, tool, args string
		again            []catalog.SentAgain
		pictures, links  int
		sent             []string
	}{
		{"nothing", "execute_code", `{"session_id":"s1","code":"echo a"}`, nil, 0, 0, nil},
		{"a picture", "execute_code", `{"session_id":"s1","code":"echo a"}`, []catalog.SentAgain{{Plot: one.ResourceURI, Title: "A", Inline: true}}, 1, 0, []string{"inline"}},
		{"a link", "execute_code", `{"session_id":"s1","code":"echo a"}`, []catalog.SentAgain{{Plot: one.ResourceURI, Title: "A", Path: one.Path, MIME: "image/png"}}, 0, 1, []string{"link"}},
		{"beside others", "execute_code", `{"session_id":"s1","code":"plots 1"}`, []catalog.SentAgain{{Plot: two.ResourceURI, Inline: true}}, 2, 0, []string{"inline", "inline"}},
		{"one that is there", "execute_code", `{"session_id":"s1","code":"plots 1"}`, []catalog.SentAgain{{Plot: one.ResourceURI, Inline: true}}, 1, 0, []string{"inline"}},
		{"where none can be", "list_session_images", `{"session_id":"s1"}`, []catalog.SentAgain{{Plot: two.ResourceURI, Inline: true}}, 0, 0, []string{"text"}},
	} {
		waiting = c.again
		m := r.rpc(t, s, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, c.tool, c.args))
		a := nextEnd(t, next)
		var how []string
		for _, x := range a.Sent {
			how = append(how, x.How)
		}
		said, _ := object(t, m)["plots_from_user"].([]any)
		carried := c.tool == "execute_code"
		if len(blocks(m["result"], "image")) != c.pictures || len(blocks(m["result"], "resource_link")) != c.links || !slices.Equal(how, c.sent) ||
			carried && len(said) != len(c.again) || !carried && (len(said) > 0 || len(waiting) == 0) {
			t.Errorf("%s: %d pictures, %d links, %v, said %v", c.what, len(blocks(m["result"], "image")), len(blocks(m["result"], "resource_link")), how, said)
		}
	}
}
