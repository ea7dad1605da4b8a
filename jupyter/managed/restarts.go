package managed

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// How often a server that dies is restarted.
const (
	firstPause = 500 * time.Millisecond // doubles each time
	maxPause   = 30 * time.Second
	stableAge  = 2 * time.Minute // a server that ran this long resets the count
	maxDeaths  = 5               // deaths within that time after which it is given up
)

// watch restarts the server when it dies, until ctx ends or it dies too often. Its
// kernels are lost. Clients learn that from their connections.
func (v *supervisor) watch(ctx context.Context, l *life, s *server) {
	deaths, pause := 0, v.pause
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.exited:
		}
		if ctx.Err() != nil {
			return
		}
		v.clear(s.record)
		if time.Since(s.began) > stableAge {
			deaths, pause = 0, v.pause
		}
		ended := fmt.Errorf("%w: it ended by itself", ErrServer)
		for next := (*server)(nil); next == nil; {
			deaths++
			if deaths > maxDeaths {
				v.giveUp(l, ended)
				return
			}
			v.cfg.Log.WarnContext(ctx, "jupyter ended and is started again", "pause", pause, "deaths", deaths, "err", ended)
			v.reporter.report(Status{Phase: Starting, Detail: fmt.Sprintf("Jupyter ended unexpectedly; starting it again (%d)", deaths), Err: ended})
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, maxPause)
			if next, ended = v.launch(ctx, s.record); ended == nil {
				s = next
			}
			if ctx.Err() != nil && ended != nil {
				return
			}
		}
		l.set(s)
		v.reporter.ready(s)
	}
}

// giveUp marks the server as failed. It can be started again.
func (v *supervisor) giveUp(l *life, err error) {
	l.cancel()
	v.forget(l)
	v.reporter.failed(v.serverError(fmt.Errorf("it ended %d times in a row: %w", maxDeaths+1, err)))
}

// Limits of the log. It is cut when it is larger, and one older part is kept.
const (
	logLimit  = 2 << 20
	tailBytes = 4 << 10
)

func openLog(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// olderPart is what the name of the older part of a log ends in.
const olderPart = ".1"

// boundLog moves the content of the log to path.1 and empties the log, if it is larger
// than limit. The server keeps writing to the same file, because it appends.
func boundLog(path string, limit int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil // there is no log yet
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil || st.Size() <= limit {
		return err
	}
	old, err := os.OpenFile(path+olderPart, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(old, io.NewSectionReader(f, st.Size()-limit, limit))
	if closeErr := old.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return f.Truncate(0)
}

// logTail returns the last lines of the log.
func logTail(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(0, st.Size()-tailBytes), tailBytes))
	if err != nil {
		return ""
	}
	var last tail
	for line := range strings.Lines(string(text)) {
		last.add(line)
	}
	return last.String()
}
