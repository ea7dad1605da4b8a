package browser

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/network"
	devpage "github.com/chromedp/cdproto/page"

	"easel/internal/truncate"
	"easel/ui/core/render/page"
)

const (
	maxBlocked = 100 // addresses
	maxLoading = 1000
	maxAddress = 300 // bytes of a blocked address
)

// A figure is the state of the figure being drawn, according to the browser's events.
type figure struct {
	page page.Page                               // at origin
	file func(name string) (page.Document, bool) // what a document to print loads from origin; nil for a figure
	open doors

	loaded chan struct{} // closed at the page's load event
	once   sync.Once

	mu      sync.Mutex
	blocked []string
	loading map[network.RequestID]bool // pending requests
	since   time.Time                  // time of the last change of loading
}

func newFigure(p page.Page, open doors) *figure {
	return &figure{page: p, open: open, loaded: make(chan struct{}), loading: make(map[network.RequestID]bool)}
}

// report handles an event of the figure's tab.
func (f *figure) report(e event) {
	switch e.Method {
	case devpage.LoadEventFired.Method:
		f.once.Do(func() { close(f.loaded) })
	case network.RequestWillBeSent.Method:
		f.load(e, true)
	case network.LoadingFinished.Method, network.LoadingFailed.Method:
		f.load(e, false)
	case audits.IssueAdded.Method:
		var added audits.EventIssueAdded
		if json.Unmarshal(e.Params, &added) != nil || added.Issue == nil || added.Issue.Details == nil {
			return
		}
		if issue := added.Issue.Details.ContentSecurityPolicyIssueDetails; issue != nil && issue.BlockedURL != "" {
			f.block(issue.BlockedURL)
		}
	}
}

// load records that a request begins or has ended. It ignores requests whose end the browser
// may not report: for the icon of a page that another one has replaced, and for addresses
// within the page, which workers load (blob:).
func (f *figure) load(e event, begins bool) {
	var request struct {
		ID      network.RequestID `json:"requestId"`
		Request struct {
			URL string `json:"url"`
		} `json:"request"`
	}
	if json.Unmarshal(e.Params, &request) != nil {
		return
	}
	if url := request.Request.URL; begins && (!strings.HasPrefix(url, "http") || strings.HasSuffix(url, "/favicon.ico")) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.since = time.Now()
	if begins && len(f.loading) < maxLoading {
		f.loading[request.ID] = true
	} else {
		delete(f.loading, request.ID)
	}
}

// waits reports whether the page has pending requests, and returns the time when a request
// last began or ended.
func (f *figure) waits() (bool, time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.loading) > 0, f.since
}

// block records an address that was requested and refused.
func (f *figure) block(address string) {
	address = strings.ToValidUTF8(truncate.Bytes(address, maxAddress), "")
	f.mu.Lock()
	defer f.mu.Unlock()
	if address != "" && len(f.blocked) < maxBlocked && !slices.Contains(f.blocked, address) {
		f.blocked = append(f.blocked, address)
	}
}

func (f *figure) refused() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.blocked)
}
