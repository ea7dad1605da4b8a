package projects

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter/remote"
	"easel/jupyter/tunnel"
	"easel/ui/core/state"
)

// TestErrorsOfAProjectThere checks that errors of another machine, whenever they come, are no internal
// errors, and that a folder in them can be used as it is.
func TestErrorsOfAProjectThere(t *testing.T) {
	p := New(Config{Log: slog.New(slog.DiscardHandler), DataDir: t.TempDir()})
	defer p.Close(context.Background())
	const root = "ssh://gpu/home/ann/sales"
	for _, x := range []struct {
		err            error
		is             Problem
		detail, remedy string
	}{
		{&remote.Error{Kind: remote.Failed, Text: "the disk is full: 68 MB are free", Remedy: "Free space."}, Unreachable, "on gpu, the disk is full: 68 MB are free", "Free space."},
		{&remote.Error{Kind: remote.Failed, Text: "Easel cannot store its program on gpu: no"}, Unreachable, "Easel cannot store its program on gpu: no", ""},
		{&remote.Error{Kind: remote.NotAProject, Text: "/home/ann/sales/a.csv is a file", Remedy: "Give its folder:", Folder: "/home/ann/sales"}, Invalid, "on gpu, /home/ann/sales/a.csv is a file", "Give its folder: ssh://gpu/home/ann/sales."},
		{&tunnel.Error{Problem: tunnel.NoForwarding, Host: "gpu"}, Unreachable, "Easel cannot work on that machine: gpu does not forward connections", "Ask the user"},
		{&tunnel.Error{Problem: tunnel.Lost, Host: "gpu"}, Unreachable, "Easel cannot work on that machine: the connection to gpu was lost", "Call again"},
	} {
		e, ok := errors.AsType[*Error](explained(t.Context(), root, fmt.Errorf("starting: %w", x.err)))
		if !ok || e.Problem != x.is || !strings.HasPrefix(e.Detail, x.detail) || !strings.HasPrefix(e.Remedy, x.remedy) {
			t.Errorf("%v: got %+v", x.err, e)
		}
	}
	if err := errors.New("the disk is full"); explained(t.Context(), "/home/ann/sales", err).Error() != err.Error() {
		t.Error("an error on this machine is changed")
	}
	if explained(t.Context(), root, nil) != nil {
		t.Error("no error is one")
	}
}

// TestTheUserEntersTheAddressOfAProject checks what an address in the settings does: a machine that
// is off remains allowed, and one without a project does not.
func TestTheUserEntersTheAddressOfAProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("ssh is a shell script here")
	}
	bin := t.TempDir()
	ssh := "#!/bin/sh\necho 'ssh: connect to host gpu port 22: Connection refused' >&2\nexit 255\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "ssh"), []byte(ssh), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings(), Window: state.WindowShown})
	p := New(Config{
		Store: store, Log: slog.New(slog.DiscardHandler), DataDir: t.TempDir(),
		Machine: func(a tunnel.Address) *remote.Machine {
			return remote.New(remote.Config{Address: a, Owner: "test", Sockets: t.TempDir()})
		},
	})
	defer p.Close(context.Background())
	for _, x := range []struct {
		address string
		is      Problem
		stays   bool
	}{
		{"ssh://gpu/home/ann/sales", Unreachable, true},
		{"ssh://gpu", Invalid, false},
	} {
		err := p.OpenThere(t.Context(), x.address)
		if e, ok := errors.AsType[*Error](err); !ok || e.Problem != x.is || e.Remedy == "" {
			t.Errorf("%s: got %+v", x.address, err)
		}
		if _, listed := store.Snapshot().Settings.Projects.Find(x.address); listed != x.stays {
			t.Errorf("%s: is it listed? %v", x.address, listed)
		}
	}
}
