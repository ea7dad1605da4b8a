package mcphost

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"

	"github.com/labstack/echo/v4"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// figurePolicy isolates the page of a figure, which may be hostile. The sandbox gives the page
// an origin of its own: it reads nothing of Easel's, and Easel refuses its requests, as their
// origin is null. It can load nothing, go nowhere, open nothing and send nothing; its scripts
// and styles are in it. The frame in it, and frames in that, inherit all of this.
// ADR 19 says what a policy cannot forbid.
const figurePolicy = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data: blob:; " +
	"style-src 'unsafe-inline' data: blob:; img-src data: blob:; font-src data: blob:; media-src data: blob:; connect-src data: blob:; " +
	"worker-src data: blob:; frame-src 'none'; object-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// figurePermissions denies what a page could ask the user for.
const figurePermissions = "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=(), midi=(), clipboard-read=(), clipboard-write=()"

// figurePage serves the page of a figure to the user's browser, once. The ticket in the
// address is all that the browser has: it never gets the token.
func (h *Host) figurePage(c echo.Context) error {
	r := c.Request()
	ticket := c.Param("ticket")
	if strings.Contains(ticket, "/") {
		return echo.ErrNotFound
	}
	// Neither of these is the user who looks at the figure.
	if isHead(r) || r.Header.Get("Sec-Purpose") != "" {
		return &tool.Error{Code: tool.MethodNotAllowed, Detail: "This address can be read once, with GET."}
	}
	if !sameUser(r) {
		return tool.Errorf(tool.Forbidden, "this figure was opened by another user of this machine")
	}
	ctx, cancel := h.untilQuit(restCaller(r.Context(), r), readTimeout)
	defer cancel()
	page, err := catalog.ReadFigure.Ask(ctx, h.c.Bus, ticket)
	if err != nil {
		return err
	}
	head := c.Response().Header()
	head.Set("Content-Security-Policy", figurePolicy)
	head.Set("Permissions-Policy", figurePermissions)
	head.Set("X-Frame-Options", "DENY")
	head.Set("X-DNS-Prefetch-Control", "off")
	status := http.StatusOK
	if page.Void {
		status = http.StatusGone
	}
	return c.Blob(status, "text/html; charset=utf-8", page.HTML)
}

// sameUser reports whether a request may come from a program of this user. A ticket is in the
// arguments of the process that starts the browser, where every user of the machine can read it.
// Root can read everything anyway.
func sameUser(r *http.Request) bool {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	local, known := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if err != nil || !known {
		return true
	}
	uid, known := userOf(unmapped(remote), unmapped(local.AddrPort()))
	return !known || uid == os.Getuid() || uid == 0
}

func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// logged returns a path for the log, without a ticket.
func logged(path string) string {
	if strings.HasPrefix(path, catalog.FigurePath) {
		return catalog.FigurePath + "…"
	}
	return path
}
