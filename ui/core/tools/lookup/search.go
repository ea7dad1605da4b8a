package lookup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
)

// mostLine is the number of characters of a line of code or of an error in a list.
const mostLine = 120

// searchHistory finds runs by their words and those of their plots, and plots whose runs the
// library does not have.
func (l *lookup) searchHistory(ctx context.Context, in catalog.SearchHistoryIn) (catalog.SearchHistoryOut, error) {
	out := catalog.SearchHistoryOut{Result: catalog.OK, Entries: []catalog.HistoryEntry{}}
	since, err := instant(in.Since)
	if err != nil {
		return out, err
	}
	limit := cmp.Or(in.Limit, 20)
	q := library.RunQuery{Text: in.Query, Since: since, Limit: limit + 1}
	if in.SessionID != "" {
		if q.SessionID, err = l.SessionID(ctx, in.SessionID); err != nil {
			return out, err
		}
	}
	runs, err := l.Library.Executions.Search(ctx, q)
	if err != nil {
		return out, err
	}
	lone, err := l.Library.Images.Lone(ctx, q)
	if err != nil {
		return out, err
	}
	for _, x := range runs {
		e := catalog.HistoryEntry{
			ExecutionID: x.ID, SessionID: x.SessionID, At: x.CreatedAt.UTC(), Status: x.Status, Code: truncate.Line(x.Code, mostLine),
		}
		images, err := l.Library.Images.OfExecution(ctx, x.ID)
		if err != nil {
			return out, err
		}
		out.Entries = append(out.Entries, illustrated(e, images...))
	}
	for _, im := range lone {
		out.Entries = append(out.Entries, illustrated(catalog.HistoryEntry{SessionID: im.SessionID, At: im.CreatedAt.UTC()}, im))
	}
	slices.SortStableFunc(out.Entries, func(x, y catalog.HistoryEntry) int { return y.At.Compare(x.At) })
	if len(out.Entries) > limit {
		out.Entries = out.Entries[:limit]
		out.More = "there are earlier ones: add words, or a larger limit"
	}
	return out, nil
}

// illustrated returns the entry with its plots and the first of their titles.
func illustrated(e catalog.HistoryEntry, images ...library.Image) catalog.HistoryEntry {
	e.Images = []catalog.Image{}
	for _, im := range images {
		e.Title = cmp.Or(e.Title, im.Title)
		e.Images = append(e.Images, im.Image)
	}
	return e
}

// instant returns the time that a caller wrote: a time or a date, in UTC unless it has a zone.
func instant(s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, &tool.Error{
		Code: tool.Validation, Detail: fmt.Sprintf("since is %.40q, which is no time.", s),
		Hint: "Write it as 2026-11-27T09:00:00Z or 2026-11-27.",
	}
}
