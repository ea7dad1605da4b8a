package notebooks

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
)

// A History is the history of a session, for FromHistory.
type History struct {
	Title   string // of the notebook
	About   string // Markdown of the first cell; if empty, it describes the session
	Session string // id
	Kernel  Kernel
	Server  string
	Saved   time.Time
	Runs    []HistoryRun // oldest first
	LeftOut int          // number of executions that are not in Runs

	Environments []catalog.Environment // in which they ran, as far as known: one for each session
}

// A HistoryRun is one execution.
type HistoryRun struct {
	Before         string // Markdown of a cell before this one; if empty, there is none
	Code           string
	Client         string // that requested it
	Failed         bool
	Stdout, Stderr string
	Result         string              // text/plain of the last expression
	Pictures       []map[string][]byte // forms of each picture, by MIME type
	Ename, Evalue  string              // of the error, if Failed
	Traceback      string
}

// raisesException is the tag that makes nbclient, papermill and JupyterLab continue after a
// cell that fails.
const raisesException = "raises-exception"

// FromHistory returns a notebook with a session's history: a heading that describes the
// session, and a cell with its outputs for each run.
func FromHistory(h History) *Notebook {
	n := New(h.Kernel)
	n.SetLanguage(h.Kernel.Language, "")
	var about strings.Builder
	fmt.Fprintf(&about, "# %s\n\nThe history of a session in Easel, saved %s.\n", h.Title, h.Saved.Format("2006-01-02 15:04 MST"))
	if clients := h.clients(); len(clients) > 0 {
		fmt.Fprintf(&about, "\n- Code by: %s\n", strings.Join(clients, ", "))
	}
	fmt.Fprintf(&about, "- Session: `%s` on `%s`, kernel `%s`\n", h.Session, h.Server, h.Kernel.Name)
	if h.LeftOut > 0 {
		fmt.Fprintf(&about, "- Left out: %d that failed, were interrupted, or ran before the last restart\n", h.LeftOut)
	}
	if h.About != "" {
		about.Reset()
		about.WriteString(h.About)
	}
	n.Insert(0, Markdown, strings.TrimRight(about.String(), "\n"))
	for i, r := range h.Runs {
		if r.Before != "" {
			n.Insert(len(n.Cells), Markdown, r.Before)
		}
		c := n.Insert(len(n.Cells), Code, r.Code)
		if r.Failed {
			c.fields.put("metadata", map[string]any{"tags": []string{raisesException}})
		}
		c.SetOutputs(r.outputs(i+1), i+1)
	}
	if len(h.Environments) > 0 {
		n.SetEnvironment(h.Environments...)
	}
	return n
}

func (h History) clients() []string {
	seen := make(map[string]bool)
	for _, r := range h.Runs {
		if r.Client != "" {
			seen[r.Client] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// outputs returns the run's outputs in nbformat: texts, pictures, result, and error. Their
// original order is not known.
func (r HistoryRun) outputs(count int) []json.RawMessage {
	var list []json.RawMessage
	add := func(o map[string]any) {
		raw, err := json.Marshal(o)
		if err == nil { // texts and base64 always marshal
			list = append(list, raw)
		}
	}
	for _, s := range []struct{ name, text string }{{"stdout", r.Stdout}, {"stderr", r.Stderr}} {
		if s.text != "" {
			add(map[string]any{"output_type": "stream", "name": s.name, "text": s.text})
		}
	}
	for _, forms := range r.Pictures {
		data := make(map[string]any, len(forms))
		for mime, b := range forms {
			switch {
			case strings.HasSuffix(mime, "json") && json.Valid(b):
				data[mime] = json.RawMessage(b)
			case mime == "image/svg+xml", mime == "application/javascript", strings.HasPrefix(mime, "text/"):
				data[mime] = string(b)
			default:
				data[mime] = base64.StdEncoding.EncodeToString(b)
			}
		}
		add(map[string]any{"output_type": "display_data", "data": data, "metadata": map[string]any{}})
	}
	if r.Result != "" {
		add(map[string]any{
			"output_type": "execute_result", "execution_count": count, "metadata": map[string]any{},
			"data": map[string]string{"text/plain": r.Result},
		})
	}
	if r.Failed && r.Ename != "" {
		add(map[string]any{
			"output_type": "error", "ename": r.Ename, "evalue": r.Evalue,
			"traceback": append([]string{}, strings.Split(r.Traceback, "\n")...),
		})
	}
	return list
}
