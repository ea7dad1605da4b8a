package mcphost

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func TestResourcesAreListedInOurOrder(t *testing.T) {
	r := newRig(t)
	s := r.initialize(t, "x")
	for name, call := range map[string]func(params string) map[string]any{
		"sessions":  func(p string) map[string]any { return r.rpc(t, s, "resources/list", p) },
		"stateless": func(p string) map[string]any { return r.modern(t, "resources/list", p) },
	} {
		t.Run(name, func(t *testing.T) {
			var uris []string
			params := `{}`
			for page := 0; ; page++ {
				m := call(params)
				for _, x := range at(m, "result", "resources").([]any) {
					uris = append(uris, at(x, "uri").(string))
					if at(x, "name") == "" || at(x, "mimeType") == nil {
						t.Errorf("%v", x)
					}
				}
				next, more := at(m, "result", "nextCursor").(string)
				if !more {
					break
				}
				if page > 10 {
					t.Fatal("the pages do not end")
				}
				params = fmt.Sprintf(`{"cursor":%q}`, next)
			}
			var want []string
			for n := imageCount; n > 0; n-- {
				want = append(want, testImage("s1", n).ResourceURI)
			}
			want = append(want, "easel://state", "easel://history", "easel://settings")
			if !slices.Equal(uris, want) {
				t.Errorf("got %q\nwant %q", uris, want)
			}
			m := call(`{"_meta":{"uriPrefix":"easel://s"}}`)
			if got := at(m, "result", "resources").([]any); len(got) != 2 {
				t.Errorf("with a prefix: %v", got)
			}
			if m := call(`{"cursor":"!!"}`); at(m, "error", "code") != -32602.0 {
				t.Errorf("a bad cursor: %v", m)
			}
			if m := call(`{"cursor":"` + base64.StdEncoding.EncodeToString([]byte("x")) + `"}`); at(m, "error", "code") != -32602.0 {
				t.Errorf("a foreign cursor: %v", m)
			}
		})
	}
	if m := r.rpc(t, s, "resources/templates/list", `{}`); at(m, "result", "resourceTemplates", 0, "uriTemplate") != "jupyter://sessions/{session_id}/images/{image_id}.{ext}" {
		t.Errorf("templates: %v", m)
	}
}

func TestResourcesAreRead(t *testing.T) {
	r := newRig(t)
	s := r.initialize(t, "x")
	uri := testImage("s1", 2).ResourceURI
	res, b := r.do(t, "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri), "Mcp-Session-Id: "+s)
	if res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("an image must be read as JSON, not as an event: %s", res.Header.Get("Content-Type"))
	}
	c := at(messages(t, res, b)[0], "result", "contents", 0)
	if at(c, "uri") != uri || at(c, "mimeType") != "image/png" || !strings.HasPrefix(at(c, "blob").(string), "iVBOR") {
		t.Errorf("%.300v", c)
	}
	m := r.rpc(t, s, "resources/read", `{"uri":"easel://state"}`)
	if c := at(m, "result", "contents", 0); at(c, "mimeType") != "application/json" || at(c, "text") != `{"document":"state"}` {
		t.Errorf("%v", m)
	}
	for _, uri := range []string{"jupyter://sessions/s1/images/nope.png", "jupyter://nope", "easel://nope", "file:///etc/passwd", "", "jupyter://sessions/../images/x.png"} {
		params := fmt.Sprintf(`{"uri":%q}`, uri)
		if m := r.rpc(t, s, "resources/read", params); at(m, "error", "code") != -32002.0 || at(m, "error", "data", "uri") != uri {
			t.Errorf("%q with sessions: %v", uri, m)
		}
		if uri == "" {
			continue // has no header
		}
		wrong := strings.TrimSuffix(params, "}") + `,"arguments":"null"}` // not an object
		if m := r.rpc(t, s, "resources/read", wrong); at(m, "error", "code") != -32600.0 || at(m, "error", "data", "code") != nil {
			t.Errorf("%s: %v", wrong, m)
		}
		if m := r.modern(t, "resources/read", params); at(m, "error", "code") != -32602.0 || at(m, "error", "data", "uri") != uri {
			t.Errorf("%q without: %v", uri, m)
		}
	}
}

func TestClientsAreToldOfChanges(t *testing.T) {
	r := newRig(t)
	im := testImage("s1", 1)
	added := func() { catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.ImageAdded, Object: im}) }
	changed := func() { catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.ImageChanged, Object: im}) }

	t.Run("sessions", func(t *testing.T) {
		s := r.initialize(t, "x")
		stream := r.open(t, "GET", "/mcp", "", "Mcp-Session-Id: "+s)
		stream.line(": listening")
		added()
		stream.line("notifications/resources/list_changed")
		if m := r.rpc(t, s, "resources/subscribe", fmt.Sprintf(`{"uri":%q}`, im.ResourceURI)); m["error"] != nil {
			t.Fatal(m)
		}
		changed()
		if l := stream.line("notifications/resources/updated"); !strings.Contains(l, im.ResourceURI) {
			t.Error(l)
		}
		newer := testImage("s1", 2)
		newer.Replaces = im.ResourceURI
		catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.ImageChanged, Object: newer})
		stream.line("notifications/resources/list_changed") // the figure has a new URI
		if l := stream.line("notifications/resources/updated"); !strings.Contains(l, im.ResourceURI) {
			t.Error(l)
		}
		r.rpc(t, s, "resources/subscribe", `{"uri":"easel://settings"}`)
		catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.SettingsChanged})
		stream.line("easel://settings")
		// Changes without an open stream are reported on the next one.
		stream.close()
		stream.ends()
		r.awaitDisconnect(t)                                                           // otherwise events are lost on a closed connection that the host still considers open
		other := r.open(t, "GET", "/mcp", "", "Mcp-Session-Id: "+r.initialize(t, "y")) // shows when the notification was sent
		for range 5 {
			added()
		}
		other.line("list_changed")
		r.open(t, "GET", "/mcp", "", "Mcp-Session-Id: "+s).line("list_changed")
	})
	t.Run("stateless", func(t *testing.T) {
		body, header := modernRequest("subscriptions/listen", fmt.Sprintf(`{"notifications":{"resourcesListChanged":true,"resourceSubscriptions":[%q]}}`, im.ResourceURI))
		stream := r.open(t, "POST", "/mcp", body, header...)
		stream.line("notifications/subscriptions/acknowledged")
		added()
		if l := stream.line("notifications/resources/list_changed"); !strings.Contains(l, `"io.modelcontextprotocol/subscriptionId":1`) {
			t.Errorf("not tagged: %s", l)
		}
		changed()
		if l := stream.line("notifications/resources/updated"); !strings.Contains(l, im.ResourceURI) {
			t.Error(l)
		}
		r.EndStreams()
		stream.line(`"result"`)
		stream.ends()
	})
}

func TestTheDataOfAFigureIsReadAsTextOrRefusedWhole(t *testing.T) {
	const uri, kind = "jupyter://sessions/s1/images/f.json", "application/vnd.plotly.v1+json"
	figure := func(data string) catalog.ReadImageOut {
		return catalog.ReadImageOut{Image: catalog.Image{ResourceURI: uri, Interactive: "plotly", Path: "/data/f.json"}, MIMEType: kind, Data: []byte(data)}
	}
	got, err := figureText(uri, figure(`{"data":[1]}`))
	want := []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: kind, Text: `{"data":[1]}`}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	got, err = figureText(uri, figure(strings.Repeat(`"`, maxResult/2))) // each takes two bytes as JSON
	if e := tool.AsError(err); got != nil || e.Code != tool.PayloadTooLarge || !strings.Contains(e.Detail, "450 kB") || !strings.Contains(e.Detail, "/data/f.json") {
		t.Errorf("got %d contents, %v", len(got), err)
	}
}
