package mcphost

import (
	"embed"
	"encoding/json"
	"html/template"
	"log/slog"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"
	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"easel/mcphost/openapi"
	"easel/mcphost/tool"
)

//go:embed pages/*.html
var pageFiles embed.FS

var pages = template.Must(template.ParseFS(pageFiles, "pages/*.html"))

const documentPath = "/api/v1/openapi.json"

// preauthorise moves the token from the address's fragment, which browsers never send to
// a server, to Swagger UI as soon as that is ready. It removes the token from the
// address immediately.
const preauthorise = `(function() {
	var m = /[#&]token=([^&]+)/.exec(window.location.hash);
	if (m) {
		window.history.replaceState(null, "", window.location.pathname);
	}
	return function() {
		if (m) {
			window.ui.preauthorizeApiKey("bearer", decodeURIComponent(m[1]));
		}
	};
})()`

// A site is what needs no token: pages for people, and the OpenAPI document.
type site struct {
	version  string
	tools    []tool.Any
	url      func() string // the host's address
	document func() []byte // the OpenAPI document
	log      *slog.Logger
}

// route adds the site's addresses.
func (s *site) route(e *echo.Echo) {
	e.GET("/", s.frontPage)
	e.GET("/problems/:code", problemPage)
	e.GET("/problems", problemsPage)
	e.GET(documentPath, func(c echo.Context) error { return c.JSONBlob(http.StatusOK, s.document()) })
	for _, p := range []string{"/api/openapi.json", "/swagger/v1/swagger.json"} {
		e.GET(p, func(c echo.Context) error { return c.Redirect(http.StatusTemporaryRedirect, documentPath) })
	}
	swagger := echo.WrapHandler(v5emb.NewWithConfig(swgui.Config{
		SettingsUI: map[string]string{
			"onComplete":           preauthorise,
			"persistAuthorization": "false",
			"tryItOutEnabled":      "true",
			"docExpansion":         `"list"`,
		},
	})("Easel", documentPath, "/api/swagger/"))
	static := func(c echo.Context) error {
		pageHeaders(c)
		return swagger(c)
	}
	e.GET("/api/swagger", static)
	e.GET("/api/swagger/*", static)
	for _, p := range []string{"/swagger", "/swagger/"} {
		e.GET(p, func(c echo.Context) error { return c.Redirect(http.StatusTemporaryRedirect, "/api/swagger/") })
	}
}

// pageHeaders keeps a page from loading anything from elsewhere and from being embedded
// in another page.
func pageHeaders(c echo.Context) {
	head := c.Response().Header()
	head.Set("Content-Security-Policy", "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	head.Set("X-Frame-Options", "DENY")
}

func servePage(c echo.Context, name string, data any) error {
	pageHeaders(c)
	c.Response().Header().Set("Content-Type", "text/html; charset=utf-8")
	c.Response().WriteHeader(http.StatusOK)
	return pages.ExecuteTemplate(c.Response(), name, data)
}

func (s *site) frontPage(c echo.Context) error {
	return servePage(c, "front.html", map[string]any{
		"Version": s.version, "URL": s.url(), "Tools": len(s.tools),
	})
}

func problemsPage(c echo.Context) error {
	return servePage(c, "problems.html", tool.Codes)
}

// problemPage serves the page to which the type of a problem refers.
func problemPage(c echo.Context) error {
	code := tool.Code(c.Param("code"))
	i := slices.IndexFunc(tool.Codes, func(i tool.CodeInfo) bool { return i.Code == code })
	if i < 0 {
		return echo.ErrNotFound
	}
	return servePage(c, "problem.html", tool.Codes[i])
}

// openAPI generates the OpenAPI document.
func (s *site) openAPI() []byte {
	specs := make([]tool.Spec, len(s.tools))
	for i, t := range s.tools {
		specs[i] = t.Spec()
	}
	b, err := openapi.Document(specs, s.version)
	if err != nil {
		s.log.Error("the OpenAPI document could not be made", "cause", err)
		b, _ = json.Marshal(map[string]any{
			"openapi": "3.0.3", "info": map[string]string{"title": "Easel", "version": s.version},
			"paths": map[string]any{},
		})
	}
	return b
}
