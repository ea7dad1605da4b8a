package window

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

// A loggedCall is a line of a log that is saved. It has no parameters and no result:
// they may hold anything, a secret too, and this file is made to be given away.
type loggedCall struct {
	Time      time.Time `json:"time"`
	Client    string    `json:"client,omitempty"`
	Transport string    `json:"transport,omitempty"`
	Tool      string    `json:"tool"`
	Status    string    `json:"status"`
	Duration  *float64  `json:"duration_ms,omitempty"` // not of what still runs
	Error     string    `json:"error,omitempty"`
	Images    []string  `json:"images"`
}

// secretIn finds what is given as a token in an address or a header.
var secretIn = regexp.MustCompile(`(?i)((?:token|key|password|secret)=|(?:bearer|token) )[^\s&"'<>]+`)

// logOf is calls as lines of JSON, the oldest first. token is Easel's own.
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

// saveLog asks where the calls that are shown go, and writes them.
func (t *activityTab) saveLog() {
	s, a := t.s, t.s.a
	calls := slices.Clone(t.shown)
	n := a.cfg.Store.Snapshot()
	for i := range calls { // as the rows say
		calls[i].Status = s.stateOf(n, calls[i])
		if goesOn(calls[i].Status) {
			calls[i].Ended = time.Time{}
		}
	}
	if len(calls) == 0 {
		s.flash(kit.MarkWait, s.k.T("activity.none_match"))
		return
	}
	v := &saver{s: s, title: s.k.Tr.N("activity.save_title", len(calls)), file: "easel-activity-" + a.cfg.Now().Local().Format("20060102-1504") + ".jsonl"}
	v.write = func(to string, _ bool) {
		a.background("save_log", func(context.Context) error {
			token := ""
			if a.cfg.Token != nil {
				token = a.cfg.Token()
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
			k := a.shell.k
			a.shell.offer(kit.MarkCheck, k.T("save.saved", filepath.Base(to)), k.T("properties.show_in_folder"), func() { a.reveal(to) })
		})
	}
	v.ask()
}
