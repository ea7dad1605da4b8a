package mcphost

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/labstack/echo/v4"

	"easel/mcphost/catalog"
	"easel/mcphost/openapi"
	"easel/mcphost/tool"
)

// route adds every address of the contract.
func (h *Host) route() {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = h.handleError
	e.Use(h.recover)
	h.echo = e

	for _, t := range h.c.Tools {
		s, call := t.Spec(), h.restCall(t)
		if s.Category == tool.Info {
			for _, name := range s.Names() {
				e.GET("/api/info/"+name, call)
			}
		} else {
			e.POST("/api/execute/"+s.Name, call)
		}
		e.POST("/tools/"+s.Name+"/execute", call)
	}
	e.POST("/api/execute/:tool", h.noTool)
	e.GET("/api/info/:tool", h.noTool)
	e.POST("/tools/:tool/execute", h.noTool)
	e.GET("/tools", h.listTools)

	for _, p := range []string{"/api/resources", "/resources"} {
		e.GET(p, h.listImages)
	}
	e.GET("/api/resources/sessions/:session/images/:image", h.imageBytes)
	e.GET("/api/resources/sessions/:session/images/:image"+catalog.PlotDataSuffix, h.plotData)
	e.GET("/api/resources/:document", h.readDocument)
	e.GET("/api/events", h.events)
	e.GET("/api/health", h.health)
	e.GET(catalog.EditorPath, h.editor)
	e.GET(catalog.FigurePath+":ticket", h.figurePage)
	h.site.route(e)

	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		e.Add(method, "/mcp", h.serveMCP)
	}
}

// recover converts a panic of a handler to an error.
func (h *Host) recover(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = panicError(v)
			}
		}()
		return next(c)
	}
}

// restCaller adds the caller of an HTTP request to ctx. If a browser says that the
// request comes from our own page, the caller is Swagger UI, because no other page has
// scripts that send requests.
func restCaller(ctx context.Context, r *http.Request) context.Context {
	name := cut(r.UserAgent(), 200)
	if strings.HasPrefix(name, "Mozilla/") && r.Header.Get("Sec-Fetch-Site") == "same-origin" {
		name = "Swagger UI"
	}
	return tool.WithCaller(ctx, tool.Caller{
		Transport: tool.REST, Name: name, Assistant: assistantOf(r.Context()), Workspace: tool.WorkspaceFrom(r.Header),
		Open: opens(ctx),
	})
}

// restCall serves a tool over HTTP.
func (h *Host) restCall(t tool.Any) echo.HandlerFunc {
	spec := t.Spec()
	return func(c echo.Context) error {
		r := c.Request()
		args, err := arguments(r, spec)
		ctx := restCaller(r.Context(), r)
		rec := h.begin(ctx, spec.Name, args)
		if err != nil {
			e := tool.AsError(err)
			rec.end(ctx, nil, nil, e)
			return e
		}
		out, raw, _, e := h.invoke(rec.watching(ctx), t, args)
		text, found := h.hide(ctx, raw)
		rec.a.Masked = found
		if e == nil {
			rec.delivered(ctx, whole(out, text))
		}
		rec.end(ctx, out, raw, e)
		if e != nil {
			return e
		}
		if text, err = noted(text, tool.Note{Masked: found.Total()}); err != nil {
			return err
		}
		return c.JSONBlob(http.StatusOK, text)
	}
}

// arguments returns a request's parameters as JSON: its body, or its query for GET.
func arguments(r *http.Request, spec tool.Spec) (json.RawMessage, error) {
	if r.Method == http.MethodGet {
		return queryArguments(r.URL.RawQuery, spec)
	}
	if r.URL.RawQuery != "" {
		return nil, tool.Errorf(tool.Validation, "Send the parameters in the JSON body, not in the query.")
	}
	b, err := io.ReadAll(r.Body) // the guard has read it into memory
	if err != nil {
		return nil, tool.Errorf(tool.Validation, "The body could not be read.")
	}
	if string(bytes.TrimSpace(b)) == "null" { // over MCP it means no parameters
		return nil, &tool.Error{
			Code: tool.Validation, Detail: "The parameters must be a JSON object, not null.",
			Fields: []tool.Field{{Pointer: "#", Detail: "must be a JSON object"}},
		}
	}
	return b, nil
}

// queryArguments converts a query string to the types in the schema of the tool's
// parameters. A value that cannot be converted stays a string, and the validator reports
// what was expected.
func queryArguments(raw string, spec tool.Spec) (json.RawMessage, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, tool.Errorf(tool.Validation, "The query could not be parsed: percent-encode its values.")
	}
	args := make(map[string]any, len(query))
	for name, values := range query {
		key := name
		if to, ok := spec.Aliases[name]; ok {
			key = to
		}
		p := spec.In.Properties[key]
		switch {
		case p != nil && p.Type == "array":
			items := make([]any, len(values))
			for i, v := range values {
				items[i] = typed(v, p.Items)
			}
			args[name] = items
		case p != nil && len(values) > 1:
			return nil, &tool.Error{
				Code: tool.Validation, Detail: "Invalid parameters: " + name + " was given more than once.",
				Fields: []tool.Field{{Pointer: "#/" + name, Detail: "was given more than once"}},
			}
		default:
			args[name] = typed(values[0], p)
		}
	}
	return json.Marshal(args)
}

// typed converts a query's value to the type of p, if possible.
func typed(v string, p *jsonschema.Schema) any {
	if p == nil {
		return v
	}
	switch p.Type {
	case "integer", "number":
		if n := json.Number(strings.TrimSpace(v)); isNumber(string(n)) {
			return n
		}
	case "boolean":
		switch v {
		case "true":
			return true
		case "false":
			return false
		}
	}
	return v
}

// isNumber reports whether v is a JSON number.
func isNumber(v string) bool {
	return v != "" && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') && json.Valid([]byte(v))
}

// noTool says that the path has no such tool, and where it is if it exists.
func (h *Host) noTool(c echo.Context) error {
	name := c.Param("tool")
	e := &tool.Error{
		Code: tool.ToolNotFound, Detail: "There is no tool " + quoted(name) + " here.",
		Hint: "GET /tools lists the tools.",
	}
	for _, t := range h.c.Tools {
		s := t.Spec()
		if !slices.Contains(s.Names(), name) {
			continue
		}
		method, path := s.Address()
		if s.Category == tool.Info {
			e.Hint = "Call it with " + method + " " + path + " and the parameters in the query."
		} else {
			e.Hint = "Call it with " + method + " " + path + " and the parameters as JSON."
		}
	}
	return e
}

func quoted(s string) string { return "“" + cut(s, 100) + "”" }

// listTools lists the tools with their schemas.
func (h *Host) listTools(c echo.Context) error {
	sets, err := tool.ParseToolsets(c.QueryParam("toolsets"))
	if err != nil {
		return err
	}
	list := make([]openapi.ListedTool, 0, len(h.c.Tools))
	for _, t := range h.c.Tools {
		s := t.Spec()
		if !sets.Has(s) {
			continue
		}
		l := openapi.ListedTool{
			Name: s.Name, Title: s.Title, Description: s.Description, Category: s.Category, Toolset: s.Toolset,
			ReadOnly: s.ReadOnly(), Destructive: s.Destructive, Idempotent: s.Idempotent,
			InputSchema: s.In, OutputSchema: s.Out,
		}
		l.Method, l.Path = s.Address()
		if s.Example != "" {
			l.Example = json.RawMessage(s.Example)
		}
		list = append(list, l)
	}
	return c.JSON(http.StatusOK, openapi.ToolPage{Success: true, Tools: list})
}
