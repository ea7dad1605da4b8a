package window

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// managedServer returns Easel's own server in a state.
func managedServer(name, message string, i state.Install) []state.Server {
	return []state.Server{{ServerHealth: catalog.ServerHealth{Name: "managed", Managed: true, State: name, Message: message}, Install: i}}
}

// reads waits until a text is in sight.
func (w *world) reads(text string) {
	w.t.Helper()
	w.q.Until(w.t, "the window to show "+text, func() bool {
		return slices.ContainsFunc(uitest.Texts(w.app.win.Canvas()), func(t string) bool { return strings.Contains(t, text) })
	})
}

// TestInstallationCanBeCancelled checks that the progress changes in place, so that a click
// on Cancel is not lost, and that the window asks for what its buttons say.
func TestInstallationCanBeCancelled(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 0), func(s *state.Snapshot) {
		s.Servers = managedServer("installing", "…", state.Install{Step: "fetching", Done: 1e6, Total: 61e6})
	})
	started, cancelled := make(chan command.StartJupyterIn, 1), make(chan bool, 1)
	command.StartJupyter.Handle(w.bus, func(_ context.Context, in command.StartJupyterIn) (struct{}, error) {
		started <- in
		return struct{}{}, nil
	}, nil)
	command.CancelJupyter.Handle(w.bus, func(context.Context, struct{}) (struct{}, error) {
		cancelled <- true
		return struct{}{}, nil
	}, nil)
	w.reads("Downloading Python packages: 1.0 MB of 61 MB")
	cancel := w.button("Cancel")
	w.store.Update(func(s *state.Snapshot) {
		s.Servers = managedServer("installing", "…", state.Install{Step: "fetching", Package: "numpy", Done: 30e6, Total: 61e6, After: 125e6})
	})
	w.settled()
	w.reads("Downloading Python packages: 30 MB of 61 MB (numpy)")
	if w.button("Cancel") != cancel {
		t.Error("the button was replaced")
	}
	test.Tap(cancel)
	<-cancelled

	w.store.Update(func(s *state.Snapshot) { s.Servers = managedServer("stopped", "", state.Install{Cancelled: true}) })
	w.settled()
	w.reads("Installation cancelled")
	test.Tap(w.button("Continue"))
	if in := <-started; in != (command.StartJupyterIn{}) {
		t.Errorf("started with %+v", in)
	}

	w.store.Update(func(s *state.Snapshot) {
		s.Servers = managedServer("failed", "no route", state.Install{Kind: "network"})
	})
	w.settled()
	w.reads("The package server cannot be reached")
	test.Tap(w.button("Use saved packages…"))
	w.typeInto(w.app.shell.k.T("install.offline_path"), " /media/stick/packages.zip ")
	w.press("Install")
	if in := <-started; in != (command.StartJupyterIn{Offline: "/media/stick/packages.zip"}) {
		t.Errorf("started with %+v", in)
	}
}

func TestFailuresOfTheInstallation(t *testing.T) {
	for name, i := range map[string]state.Install{
		"install_python": {Kind: "python", Command: "sudo apt install python3-venv"},
		"install_disk":   {Kind: "disk", Free: 81e6, Need: 350e6},
	} {
		w := newWorld(t, wide, galleryOf(t, 0), func(s *state.Snapshot) {
			s.Servers = managedServer("failed", "the disk is full\nand more", i)
			s.Settings.Language = "ja"
		})
		uitest.Golden(t, name, w.app.win.Canvas())
	}
}
