package mcphost

import (
	"fmt"
	"strings"
	"testing"
)

// TestTheValuesOfAPlotAreCSV covers both addresses of the values of a plot.
func TestTheValuesOfAPlotAreCSV(t *testing.T) {
	r := newRig(t)
	s := r.initialize(t, "x")
	im := testImage("s1", 1)
	uri := strings.TrimSuffix(im.ResourceURI, ".png") + "/data.csv"
	m := r.rpc(t, s, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
	if at(m, "result", "contents", 0, "text") != "x,y\r\n1,2\r\n" || at(m, "result", "contents", 0, "mimeType") != "text/csv" {
		t.Errorf("over MCP: %v", m)
	}
	for _, path := range []string{uri, im.ResourceURI + "/data.csv"} {
		res, body := r.do(t, "GET", hrefOf(path), "")
		if res.StatusCode != 200 || string(body) != "x,y\r\n1,2\r\n" || res.Header.Get("Easel-Sample") != "true" || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/csv") {
			t.Errorf("%s: %d %s %v", path, res.StatusCode, body, res.Header)
		}
	}
	if res, body := r.do(t, "GET", hrefOf(strings.Replace(uri, im.ImageID, "other", 1)), ""); res.StatusCode != 409 {
		t.Errorf("a picture without values: %d %s", res.StatusCode, body)
	}
	if res, body := r.do(t, "GET", hrefOf(strings.Replace(uri, "/s1/", "/s2/", 1)), ""); res.StatusCode != 404 {
		t.Errorf("in another session: %d %s", res.StatusCode, body)
	}
	if m := r.rpc(t, s, "resources/templates/list", `{}`); !strings.Contains(fmt.Sprint(m), "{image_id}/data.csv") {
		t.Errorf("templates: %v", m)
	}
}
