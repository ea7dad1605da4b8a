package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/mattn/go-isatty"

	"easel/mcphost/handover"
	"easel/mcphost/instance"
	"easel/ui/core/backup"
	"easel/ui/core/library"
	"easel/ui/core/settings"
)

// runLibrary exports or imports the library: through the running Easel, which has it open, or itself.
func runLibrary(ctx context.Context, o settings.Options) error {
	if _, err := os.Stat(filepath.Join(o.DataDir, "library")); o.Library == "export" && errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no library in %s; --data-dir names another directory", o.DataDir)
	}
	mine, running, err := instance.LockOrFind(ctx, o.DataDir, endPatience, func() {
		fmt.Fprintln(os.Stderr, "Waiting for another Easel that starts or ends.")
	})
	if err != nil {
		return err
	}
	t, say := handover.Transfer{Export: o.File}, progressTo(os.Stderr)
	if o.Library == "import" {
		t = handover.Transfer{Import: o.File}
	}
	var done string
	switch {
	case mine != nil:
		done, err = transferClosed(ctx, o, t, say)
		err = errors.Join(err, mine.Close())
	case running.Handover == "":
		err = fmt.Errorf("the Easel that runs (version %s) cannot do that; quit it, then try again", running.Version)
	default:
		done, err = handover.SendTransfer(ctx, running.Handover, t, say)
	}
	say(0, 0)
	if err == nil {
		fmt.Println(done)
	}
	return err
}

// transferClosed exports or imports the library of an Easel that does not run.
func transferClosed(ctx context.Context, o settings.Options, t handover.Transfer, say library.Progress) (string, error) {
	quota := int64(0)
	if s, _, err := settings.Load(o.DataDir); err == nil {
		quota = s.QuotaMB << 20
	}
	lib, err := library.Open(ctx, filepath.Join(o.DataDir, "library"), library.Options{QuotaBytes: quota, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", err
	}
	done, err := transfer(ctx, lib, t, say)
	return done, errors.Join(err, lib.Close())
}

// transfer exports or imports the open library, writes the log or carries out a command, for another process.
func (e *easel) transfer(ctx context.Context, t handover.Transfer, say func(done, all int64)) (string, error) {
	switch {
	case t.Log != nil:
		return writeLog(ctx, e.Library, e.mask, *t.Log)
	case t.Command != nil:
		return e.command(ctx, *t.Command)
	}
	done, err := transfer(ctx, e.Library, t, say)
	e.log.InfoContext(ctx, "the library was exported or imported", "export", t.Export, "import", t.Import, "done", done, "err", err)
	return done, err
}

func transfer(ctx context.Context, lib *library.Library, t handover.Transfer, say library.Progress) (string, error) {
	if t.Import != "" {
		return backup.Import(ctx, lib, t.Import, say)
	}
	return backup.Export(ctx, lib, t.Export, version, say)
}

// progressTo returns a Progress that shows on a terminal how much is done; with 0 of 0, it removes that.
func progressTo(out *os.File) library.Progress {
	if !isatty.IsTerminal(out.Fd()) {
		return func(int64, int64) {}
	}
	last := int64(-1)
	return func(done, all int64) {
		switch {
		case all == 0 && last >= 0:
			_, _ = io.WriteString(out, "\r     \r")
		case all > 0 && done*100/all != last:
			last = done * 100 / all
			_, _ = fmt.Fprintf(out, "\r%3d %%", last)
		}
	}
}
