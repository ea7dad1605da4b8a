package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"easel/jupyter/managed"
)

// start asks the agent to start the server. If the machine there reaches no package index, the
// packages are carried there from here.
func (h *Host) start(ctx context.Context, tell func(Step)) (s runtimeOf, err error) {
	err = h.m.call(ctx, methodStart, h.of, &s, tell)
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != NoNetwork || h.m.cfg.Packages == nil {
		return s, err
	}
	h.m.cfg.Log.InfoContext(ctx, "packages are carried to a machine without a network", "address", h.m.cfg.Address.String(), "err", err)
	if here := h.carry(ctx, tell); here != nil {
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		return s, &Error{Kind: NoNetwork, Text: fmt.Sprintf("it reaches no package index, and Easel cannot carry its packages there: %v", firstLine(here)), Remedy: remedy(here)}
	}
	return s, h.m.call(ctx, methodStart, h.of, &s, tell)
}

// carry downloads the packages of Easel's environment and copies them to the other machine.
func (h *Host) carry(ctx context.Context, tell func(Step)) error {
	var x packageTarget
	if err := h.m.call(ctx, methodLacks, h.of, &x, nil); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "easel-carry-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	file := filepath.Join(scratch, "packages.zip")
	_, err = managed.ExportFor(ctx, h.m.cfg.Packages(), x.Python, file, func(p managed.Progress) {
		tell(Step{Text: "Downloading packages for " + h.m.cfg.Address.Host + ", which has no network: " + p.String()})
	})
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	to := path.Join(x.Dir, "packages.zip")
	err = h.m.cfg.send(ctx, copying(x.Dir, path.Base(to), info.Size()), f, func(n int64) {
		tell(Step{Text: fmt.Sprintf("Copying packages to %s: %d of %d MB", h.m.cfg.Address.Host, n>>20, info.Size()>>20)})
	})
	if err != nil {
		return err
	}
	return h.m.call(ctx, methodCarried, packages{to, x.Python.Executable}, &none{}, nil)
}

func remedy(err error) string {
	if e, ok := errors.AsType[*managed.Error](err); ok {
		return e.Remedy
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Remedy
	}
	return ""
}
