package browser

import (
	"encoding/json"
	"testing"

	"easel/internal/require"
	"easel/ui/core/render/page"
)

// TestPendingRequests checks which requests a figure waits for. The browser does not report the
// end of some, and a figure that waited for them would take five seconds.
func TestPendingRequests(t *testing.T) {
	f := newFigure(page.Page{}, doors{})
	send := func(method, id, url string) {
		t.Helper()
		params, err := json.Marshal(map[string]any{"requestId": id, "request": map[string]string{"url": url}})
		require.NoError(t, err)
		f.report(event{Method: method, Params: params})
	}
	const begins, ends = "Network.requestWillBeSent", "Network.loadingFinished"
	for _, url := range []string{origin + "favicon.ico", "blob:null/1dcd8943", "data:image/png;base64,AA"} {
		if send(begins, "1", url); len(f.loading) > 0 {
			t.Errorf("it waits for %s", url)
		}
	}
	send(begins, "2", "https://cdn.example/leaflet.js")
	if waits, _ := f.waits(); !waits {
		t.Error("it does not wait for a library")
	}
	send(ends, "2", "")
	if waits, _ := f.waits(); waits {
		t.Error("it waits for a request that has ended")
	}
}
