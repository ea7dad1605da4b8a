// Package logbook writes the log of calls for people and programs outside of Easel: who asked, what ran,
// what came out, what the model got of it, and what the user answered. See docs/log.md.
//
// # Goroutines
//
// The package starts none. Write runs on its caller's goroutine.
package logbook

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"time"

	"easel/internal/mask"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// The formats of a logbook.
const (
	JSONL  = "jsonl"  // an object for each entry
	Report = "report" // a page in HTML
)

// pageOf is how many entries are read at once.
const pageOf = 500

// Options choose what is written, and how.
type Options struct {
	library.LogQuery
	Format     string // JSONL or Report
	Language   string // of a report: en or ja
	Thumbnails bool   // a report has small pictures of the plots
	Now        time.Time
	Replace    bool // Save may replace a file
	// Mask hides secrets. All entries go through it; see writer.masked.
	Mask *mask.Mask
}

// A Library is the part of the library that a logbook reads.
type Library interface {
	Calls(ctx context.Context, q library.LogQuery, after library.LogPlace, limit int) ([]library.LoggedCall, error)
	Uncalled(ctx context.Context, q library.LogQuery, after library.LogPlace, limit int) ([]library.LoggedRun, error)
	Logged(ctx context.Context, q library.LogQuery) (sessions []string, err error)
	Session(ctx context.Context, id string) (library.Session, error)
	Environment(ctx context.Context, e library.Execution) (catalog.Environment, error)
	Thumb(ctx context.Context, id string, edge int) (image.Image, error)
}

// Of returns what a logbook reads of a library.
func Of(l *library.Library) Library { return reader{l} }

type reader struct{ l *library.Library }

func (r reader) Calls(ctx context.Context, q library.LogQuery, after library.LogPlace, limit int) ([]library.LoggedCall, error) {
	return r.l.Activities.Log(ctx, q, after, limit)
}

func (r reader) Uncalled(ctx context.Context, q library.LogQuery, after library.LogPlace, limit int) ([]library.LoggedRun, error) {
	return r.l.Executions.Uncalled(ctx, q, after, limit)
}

func (r reader) Logged(ctx context.Context, q library.LogQuery) ([]string, error) {
	return r.l.Activities.Sessions(ctx, q)
}

func (r reader) Session(ctx context.Context, id string) (library.Session, error) {
	return r.l.Sessions.Get(ctx, id)
}

func (r reader) Environment(ctx context.Context, e library.Execution) (catalog.Environment, error) {
	return r.l.Executions.Environment(ctx, e)
}

func (r reader) Thumb(ctx context.Context, id string, edge int) (image.Image, error) {
	return r.l.Images.Thumb(ctx, id, edge)
}

// Counts say what was written.
type Counts struct{ Entries, Masked int }

// Write writes the log. It needs little memory, however many entries there are.
func Write(ctx context.Context, to io.Writer, lib Library, o Options) (n Counts, err error) {
	w := &writer{
		ctx: ctx, lib: lib, o: o, out: bufio.NewWriterSize(to, 64<<10), sessions: make(map[string]library.Session),
		environments: make(map[string]*Environment),
	}
	switch o.Format {
	case JSONL:
		err = w.entries(o.LogQuery, func(_ Entry, line []byte) error {
			_, err := w.out.Write(line)
			return err
		})
	case Report:
		err = w.report()
	default:
		return n, fmt.Errorf("a log has the formats %s and %s, not %q", JSONL, Report, o.Format)
	}
	if err == nil {
		err = w.out.Flush()
	}
	return w.n, err
}

// A writer writes one logbook.
type writer struct {
	ctx          context.Context //nolint:containedctx // a writer lives within one call
	lib          Library
	o            Options
	out          *bufio.Writer
	n            Counts
	sessions     map[string]library.Session
	environments map[string]*Environment
}

// masked returns an entry without secrets, also as a line of JSON. Every entry that leaves comes from here.
func (w *writer) masked(e Entry) (Entry, []byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return e, nil, fmt.Errorf("an entry of the log: %w", err)
	}
	line, found := w.o.Mask.Hide(b.Bytes())
	if found.Total() == 0 {
		return e, line, nil
	}
	w.n.Masked += found.Total()
	var hidden Entry
	err := json.Unmarshal(line, &hidden)
	return hidden, line, err
}

// entries calls f with each entry that a query selects, oldest first. Calls and code that no call has started
// are read in pages, and merged by their times. line is the entry as a line of JSON.
func (w *writer) entries(q library.LogQuery, f func(e Entry, line []byte) error) error {
	var calls []library.LoggedCall
	var runs []library.LoggedRun
	var lastCall, lastRun library.LogPlace
	moreCalls, moreRuns := true, true
	for {
		var err error
		if len(calls) == 0 && moreCalls {
			if calls, err = w.lib.Calls(w.ctx, q, lastCall, pageOf); err != nil {
				return err
			}
			if moreCalls = len(calls) > 0; moreCalls {
				lastCall = calls[len(calls)-1].Place
			}
		}
		if len(runs) == 0 && moreRuns {
			if runs, err = w.lib.Uncalled(w.ctx, q, lastRun, pageOf); err != nil {
				return err
			}
			if moreRuns = len(runs) > 0; moreRuns {
				lastRun = runs[len(runs)-1].Place
			}
		}
		var e Entry
		switch {
		case len(calls) > 0 && (len(runs) == 0 || !runs[0].CreatedAt.Before(calls[0].Began)):
			e, calls = w.call(calls[0]), calls[1:]
		case len(runs) > 0:
			e, runs = w.run(runs[0]), runs[1:]
		default:
			return nil
		}
		w.n.Entries++
		e, line, err := w.masked(e)
		if err == nil {
			err = f(e, line)
		}
		if err != nil {
			return err
		}
	}
}
