package settings

import (
	"flag"
	"fmt"
	"path/filepath"
	"time"
)

// LogOptions are for the command log: what it writes, and where.
type LogOptions struct {
	Session      string
	Since, Until time.Time // zero: no limit
	Format       string    // jsonl or report
	Output       string    // file, absolute; "" for the standard output
	Thumbnails   bool
}

// flags adds the flags of the command log.
func (l *LogOptions) flags(fs *flag.FlagSet) {
	fs.StringVar(&l.Session, "session", "", "")
	fs.StringVar(&l.Format, "format", "", "")
	fs.StringVar(&l.Output, "output", "", "")
	fs.BoolVar(&l.Thumbnails, "thumbnails", false, "")
	fs.Func("since", "", func(v string) (err error) {
		l.Since, _, err = moment(v)
		return err
	})
	fs.Func("until", "", func(v string) error {
		at, day, err := moment(v)
		if day { // that day, too
			at = at.AddDate(0, 0, 1)
		}
		l.Until = at
		return err
	})
}

// moment parses a date, or a date with a time; without a zone, it is that of this machine. day means that it is a date.
func moment(v string) (at time.Time, day bool, err error) {
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", time.RFC3339} {
		if at, err := time.ParseInLocation(layout, v, time.Local); err == nil { //nolint:gosmopolitan // the user's time
			return at, layout == time.DateOnly, nil
		}
	}
	return at, false, fmt.Errorf("%q is not a date or time such as 2026-11-01, 2026-11-01T09:30 or 2026-11-01T09:30:00Z", v)
}

// check sets defaults and validates.
func (l *LogOptions) check(command string) (err error) {
	if command != "log" {
		if *l != (LogOptions{}) {
			return usageError("--session, --since, --until, --format, --output and --thumbnails are flags of `easel log`")
		}
		return nil
	}
	switch l.Format {
	case "":
		l.Format = "jsonl"
	case "jsonl", "report":
	default:
		return usageError("the format %q is not jsonl or report", l.Format)
	}
	if l.Thumbnails && l.Format != "report" {
		return usageError("--thumbnails are for --format report")
	}
	if !l.Until.IsZero() && !l.Since.Before(l.Until) {
		return usageError("--until is not after --since")
	}
	if l.Output != "" {
		l.Output, err = filepath.Abs(l.Output)
	}
	return err
}
