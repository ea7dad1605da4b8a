package mcphost

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"easel/mcphost/openapi"
	"easel/mcphost/tool"
)

func problemOf(e *tool.Error) openapi.Problem {
	info := e.Code.Info()
	return openapi.Problem{
		Type: openapi.ProblemPage(info.Code), Title: info.Title, Status: info.Status,
		Detail: e.Detail, Code: info.Code, Hint: e.Hint, Errors: e.Fields,
	}
}

func writeProblem(w http.ResponseWriter, _ *http.Request, e *tool.Error) {
	p := problemOf(e)
	b, err := json.Marshal(p)
	if err != nil { // only strings and a number
		http.Error(w, p.Title, p.Status)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(p.Status)
	_, _ = w.Write(b) // the client may be gone
}

// handleError converts every error of a handler, and Echo's own errors, to a problem.
func (h *Host) handleError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	r := c.Request()
	he, isEcho := errors.AsType[*echo.HTTPError](err)
	if _, ours := errors.AsType[*tool.Error](err); isEcho && !ours {
		switch he.Code {
		case http.StatusMethodNotAllowed:
			err = &tool.Error{Code: tool.MethodNotAllowed, Detail: r.Method + " is not served here; the header Allow says what is."}
		case http.StatusNotFound:
			err = &tool.Error{
				Code: tool.ToolNotFound, Detail: "Nothing is served at " + cut(r.URL.Path, 200) + ".",
				Hint: "GET /tools lists the tools, GET /api/v1/openapi.json describes every address.",
			}
		}
	}
	_, told := errors.AsType[*tool.Error](err) // an error of a call, which the record has logged
	e := tool.AsError(err)
	if e.Code == tool.Internal && !told {
		h.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", logged(r.URL.Path), "cause", e)
	}
	writeProblem(c.Response(), r, e)
}
