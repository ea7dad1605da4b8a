package activity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"easel/internal/atomicfile"
	"easel/mcphost/catalog"
	"easel/ui/window/kit"
)

// A loggedCall is one line of a saved log. It has no parameters and no result: they may
// contain secrets, and users send this file to others.
type loggedCall struct {
	Time      time.Time `json:"time"`
	Client    string    `json:"client,omitempty"`
	Transport string    `json:"transport,omitempty"`
	Tool      string    `json:"tool"`
	Status    string    `json:"status"`
	Duration  *float64  `json:"duration_ms,omitempty"` // omitted while the call runs
	Error     string    `json:"error,omitempty"`
	Images    []string  `json:"images"`
}

// secretIn finds a token in an address or a header.
var secretIn = regexp.MustCompile(`(?i)((?:token|key|password|secret)=|(?:bearer|token) )[^\s&"'<>]+`)

// logOf returns calls as lines of JSON, oldest first, without secrets. token is Easel's
// own.
func logOf(calls []catalog.Activity, token string) ([]byte, error) {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	for _, c := range slices.Backward(calls) {
		l := loggedCall{Time: c.Began.UTC(), Client: c.Client, Transport: c.Transport, Tool: c.Tool, Status: c.Status, Images: c.Images}
		if l.Images == nil {
			l.Images = []string{}
		}
		if !c.Ended.IsZero() {
			ms := float64(c.Ended.Sub(c.Began).Microseconds()) / 1000
			l.Duration = &ms
		}
		l.Error = secretIn.ReplaceAllString(c.Detail, "${1}…")
		if token != "" {
			l.Error = strings.ReplaceAll(l.Error, token, "…")
		}
		if err := lines.Encode(l); err != nil {
			return nil, fmt.Errorf("writing the log: %w", err)
		}
	}
	return b.Bytes(), nil
}

// saveLog asks where to save the calls that are currently shown, and saves them.
func (t *callsTab) saveLog() {
	d, k := t.d, t.d.k
	var calls []catalog.Activity
	for _, e := range t.shown {
		calls = append(calls, e.calls()...)
	}
	slices.SortStableFunc(calls, func(a, b catalog.Activity) int { return b.Began.Compare(a.Began) })
	n := d.port.Snapshot()
	for i := range calls { // use the states that the rows show
		calls[i].Status = d.stateOf(n, calls[i])
		if goesOn(calls[i].Status) {
			calls[i].Ended = time.Time{}
		}
	}
	if len(calls) == 0 {
		d.port.Say(kit.MarkWait, k.T("activity.none_match"), "", nil)
		return
	}
	name := "easel-activity-" + k.Now().Local().Format("20060102-1504") + ".jsonl"
	d.port.SaveFile(k.Tr.N("activity.save_title", len(calls)), name, func(to string) {
		d.port.Background("save_log", func(context.Context) error {
			token := ""
			if d.port.Token != nil {
				token = d.port.Token()
			}
			raw, err := logOf(calls, token)
			if err != nil {
				return err
			}
			if err := atomicfile.Write(to, raw, 0o600); err != nil {
				return fmt.Errorf("saving: %w", err)
			}
			return nil
		}, func() {
			d.port.Say(kit.MarkCheck, k.T("save.saved", filepath.Base(to)), k.T("properties.show_in_folder"), func() { d.port.Reveal(to) })
		})
	})
}
