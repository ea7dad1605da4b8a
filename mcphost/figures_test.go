package mcphost

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"easel/mcphost/catalog"
)

// withFigures makes a rig answer for the ticket GOOD, once, and counts who asked.
func withFigures(t *testing.T) (r *rig, asked *[]string) {
	t.Helper()
	r, asked = newRig(t), new([]string)
	catalog.ReadFigure.Handle(r.bus, func(_ context.Context, ticket string) (catalog.FigurePage, error) {
		*asked = append(*asked, ticket)
		if ticket == "GOOD" && len(*asked) == 1 {
			return catalog.FigurePage{HTML: []byte("<p>the figure")}, nil
		}
		return catalog.FigurePage{HTML: []byte("<p>used"), Void: true}, nil
	}, nil)
	return r, asked
}

func TestAFigureIsServedOnceAndIsolated(t *testing.T) {
	r, _ := withFigures(t)
	const get = "GET /figures/GOOD HTTP/1.1\nHost: localhost\nConnection: close\n\n" // no token
	res, body := r.raw(t, get)
	if res.StatusCode != http.StatusOK || body != "<p>the figure" {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	head := res.Header
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
		"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY",
		"X-Dns-Prefetch-Control": "off", "Set-Cookie": "", "Access-Control-Allow-Origin": "",
	} {
		if got := head.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	policy := make(map[string]string)
	for part := range strings.SplitSeq(head.Get("Content-Security-Policy"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		policy[name] = value
	}
	if policy["sandbox"] != "allow-scripts" || policy["default-src"] != "'none'" {
		t.Errorf("the policy is %v", policy)
	}
	for name, value := range policy {
		for source := range strings.FieldsSeq(value) {
			switch source {
			case "'none'", "'unsafe-inline'", "'unsafe-eval'", "data:", "blob:", "allow-scripts":
			default:
				t.Errorf("the policy allows %s for %s", source, name)
			}
		}
	}
	for range 2 {
		if res, body := r.raw(t, get); res.StatusCode != http.StatusGone || body != "<p>used" || res.Header.Get("Content-Security-Policy") != figurePolicy {
			t.Errorf("again: %d %s", res.StatusCode, body)
		}
	}
}

// TestNobodyElseUsesATicket: what is not the user who looks does not take the ticket away.
func TestNobodyElseUsesATicket(t *testing.T) {
	r, asked := withFigures(t)
	for request, want := range map[string]int{
		"HEAD /figures/GOOD HTTP/1.1\nHost: localhost\n":                                           http.StatusMethodNotAllowed,
		"GET /figures/GOOD HTTP/1.1\nHost: localhost\nSec-Purpose: prefetch;prerender\n":           http.StatusMethodNotAllowed,
		"POST /figures/GOOD HTTP/1.1\nHost: localhost\nContent-Length: 0\n":                        http.StatusUnauthorized,
		"GET /figures/GOOD HTTP/1.1\nHost: evil.example\n":                                         http.StatusForbidden,
		"GET /figures/GOOD HTTP/1.1\nHost: localhost\nOrigin: null\n":                              http.StatusForbidden,
		"GET /figures/GOOD HTTP/1.1\nHost: localhost\nOrigin: https://evil.example\n":              http.StatusForbidden,
		"GET /figures/GOOD/x HTTP/1.1\nHost: localhost\nAuthorization: Bearer " + testToken + "\n": http.StatusNotFound,
		"GET /figures/ HTTP/1.1\nHost: localhost\n":                                                http.StatusNotFound,
	} {
		if res, _ := r.raw(t, request+"Connection: close\n\n"); res.StatusCode != want {
			t.Errorf("%q: %d, want %d", request, res.StatusCode, want)
		}
	}
	if len(*asked) != 0 {
		t.Errorf("tickets were taken: %q", *asked)
	}
	if log := r.log.String(); strings.Contains(log, "GOOD") {
		t.Errorf("the log has the ticket: %s", log)
	}
}
