package browser

import (
	"strings"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"easel/ui/core/render/page"
)

// origin is the address of a figure's page. The host cannot exist (RFC 6761).
const origin = "https://figure.invalid/"

// policy is the Content-Security-Policy of every figure. It allows HTTP addresses, because
// those requests are intercepted and answered or recorded. It forbids everything that
// cannot be intercepted, such as sockets, WebRTC and workers from other origins.
const policy = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' https: http: data: blob:; " +
	"style-src 'unsafe-inline' https: http: data: blob:; img-src https: http: data: blob:; font-src https: http: data: blob:; " +
	"media-src https: http: data: blob:; connect-src https: http: data: blob:; frame-src https: http: data: blob:; " +
	"worker-src blob: data:; form-action 'none'; object-src 'none'; base-uri https:; webrtc 'block'"

// respond returns the method call that answers a request: with the figure's page, a library,
// or an error. f is nil if no figure is being drawn.
func respond(e *fetch.EventRequestPaused, f *figure, l *page.Libraries) (method string, params any) {
	address := e.Request.URL
	switch scheme, _, _ := strings.Cut(address, ":"); strings.ToLower(scheme) {
	case "data", "blob", "about": // part of the page itself
		return fetch.ContinueRequest.Method, fetch.ContinueRequestParams{RequestID: e.RequestID}
	}
	if f != nil {
		name, own := strings.CutPrefix(address, origin)
		if own && name == "" {
			return fulfil(e, f, f.page.Document)
		}
		if d, ok := f.find(name, own, address, l); ok {
			return fulfil(e, f, d)
		}
		if f.open.interception {
			return fetch.ContinueRequest.Method, fetch.ContinueRequestParams{RequestID: e.RequestID}
		}
		if !own || name != "favicon.ico" {
			f.block(strings.TrimPrefix(address, origin))
		}
	}
	reason := network.ErrorReasonBlockedByClient
	if e.ResourceType == network.ResourceTypeDocument {
		reason = network.ErrorReasonAborted // keeps the page instead of showing an error
	}
	return fetch.FailRequest.Method, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: reason}
}

// find returns what a page may load: a library, or a file of a document to print.
func (f *figure) find(name string, own bool, address string, l *page.Libraries) (page.Document, bool) {
	if f.file == nil {
		return l.Find(address)
	}
	if !own {
		return page.Document{}, false
	}
	return f.file(name)
}

func fulfil(e *fetch.EventRequestPaused, f *figure, d page.Document) (method string, params any) {
	headers := []*fetch.HeaderEntry{
		{Name: "Content-Type", Value: d.Type},
		{Name: "Access-Control-Allow-Origin", Value: "*"},
		{Name: "X-Content-Type-Options", Value: "nosniff"},
		{Name: "Cache-Control", Value: "no-store"},
		{Name: "Referrer-Policy", Value: "no-referrer"},
		{Name: "X-DNS-Prefetch-Control", Value: "off"},
	}
	if !f.open.policy {
		headers = append(headers, &fetch.HeaderEntry{Name: "Content-Security-Policy", Value: policy})
	}
	return fetch.FulfillRequest.Method, fetch.FulfillRequestParams{
		RequestID: e.RequestID, ResponseCode: 200, ResponseHeaders: headers,
		Body: d.Body,
	}
}
