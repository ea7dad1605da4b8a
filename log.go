package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"easel/internal/mask"
	"easel/mcphost/handover"
	"easel/mcphost/instance"
	"easel/ui/core/library"
	"easel/ui/core/logbook"
	"easel/ui/core/settings"
)

// runLog writes the log of calls: through the running Easel, which has the library open, or itself.
func runLog(ctx context.Context, o settings.Options) (err error) {
	if _, err := os.Stat(filepath.Join(o.DataDir, "library")); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no log in %s; --data-dir names another directory", o.DataDir)
	}
	l := o.Log
	in := handover.Log{
		File: l.Output, Session: l.Session, Since: l.Since, Until: l.Until, Format: l.Format, Language: o.Lang, Thumbnails: l.Thumbnails,
	}
	if in.Language == "" {
		if s, _, err := settings.Load(o.DataDir); err == nil {
			in.Language = s.Language
		}
	}
	if l.Output == "" { // the running Easel cannot write to this terminal
		dir, err := os.MkdirTemp("", "easel-log")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		in.File = filepath.Join(dir, "log")
	}
	done, err := writeLogHere(ctx, o, in)
	if err != nil {
		return err
	}
	if l.Output != "" {
		fmt.Fprintln(os.Stderr, done)
		return nil
	}
	f, err := os.Open(in.File)
	if err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, f)
	return errors.Join(err, f.Close())
}

// writeLogHere has the running Easel write the log, or writes it if none runs.
func writeLogHere(ctx context.Context, o settings.Options, in handover.Log) (done string, err error) {
	mine, running, err := instance.LockOrFind(ctx, o.DataDir, endPatience, func() {
		fmt.Fprintln(os.Stderr, "Waiting for another Easel that starts or ends.")
	})
	switch {
	case err != nil:
		return "", err
	case mine == nil && running.Handover == "":
		return "", fmt.Errorf("the Easel that runs (version %s) cannot do that; quit it, then try again", running.Version)
	case mine == nil:
		return handover.SendTransfer(ctx, running.Handover, handover.Transfer{Log: &in}, nil)
	}
	defer func() { err = errors.Join(err, mine.Close()) }()
	lib, err := library.Open(ctx, filepath.Join(o.DataDir, "library"), library.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", err
	}
	hide := reportMask(o)
	if token, err := instance.Token(o.DataDir); err == nil {
		hide.Add(mask.Easel, token)
	}
	done, err = writeLog(ctx, lib, hide, in)
	return done, errors.Join(err, lib.Close())
}

func writeLog(ctx context.Context, lib *library.Library, hide *mask.Mask, in handover.Log) (string, error) {
	n, err := logbook.Save(ctx, in.File, logbook.Of(lib), logbook.Options{
		LogQuery: library.LogQuery{Session: in.Session, Since: in.Since, Until: in.Until},
		Format:   in.Format, Language: in.Language, Thumbnails: in.Thumbnails, Mask: hide,
	})
	if err != nil {
		return "", err
	}
	done := fmt.Sprintf("Wrote %d entries of the log to %s.", n.Entries, in.File)
	if n.Masked > 0 {
		done += fmt.Sprintf(" %d secrets in them are masked.", n.Masked)
	}
	return done, nil
}
