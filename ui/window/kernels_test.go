package window

import (
	"context"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// console is a kernel that no Jupyter server runs.
var console = catalog.Session{
	SessionID: "5d0c0000-0000-5000-8000-000000000001", KernelID: "5d0c0000-0000-5000-8000-000000000001", KernelName: "python3",
	Server: catalog.ThisMachine, Owner: "other", Status: "unknown", Generation: 1,
	Process: &catalog.KernelProcess{
		PID: 4711, Program: "jupyter-console", Directory: "/home/ann/waves", User: "ann", StartedAt: uitest.Start,
		ConnectionFile: "/home/ann/.local/share/jupyter/runtime/kernel-4711.json",
	},
}

// offers adds kernels that can be joined to a state: one of a console, and one that encrypts.
func offers(s *state.Snapshot) {
	sealed := console
	sealed.SessionID, sealed.KernelID = "5d0c0000-0000-5000-8000-000000000002", "5d0c0000-0000-5000-8000-000000000002"
	sealed.Process = &catalog.KernelProcess{Program: "spyder", Directory: "/srv", StartedAt: uitest.Start.Add(time.Hour), Problem: "the kernel encrypts its messages (CurveZMQ)"}
	s.Kernels = []catalog.Session{console, sealed}
}

// connecting is the question whether a client may connect to the console's kernel.
func connecting(s *state.Snapshot) {
	q := question("1", "claude-code 2.1.0", "")
	q.ExecutionID, q.SessionID, q.Kernel = "", console.SessionID, &console
	s.Approvals = []catalog.Approval{q}
}

func TestKernelGoldens(t *testing.T) {
	for name, c := range map[string]struct {
		size fyne.Size
		edit func(*state.Snapshot)
		then func(*world)
	}{
		"ask_kernel":                {wide, connecting, (*world).armed},
		"ask_kernel_dark_ja_narrow": {narrowed, func(s *state.Snapshot) { connecting(s); s.Settings.Theme, s.Settings.Language = "dark", "ja" }, (*world).armed},
		"connect_kernel":            {wide, func(*state.Snapshot) {}, func(w *world) { w.app.sessions.Connect(console) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 6), func(s *state.Snapshot) { busy(s); offers(s); c.edit(s) })
			c.then(w)
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

func TestAKernelIsAllowedOrDenied(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) { busy(s); connecting(s) })
	given := w.answers()
	w.armed()
	w.app.shortcut(ctrl(fyne.KeyE)) // there is no code to edit
	w.app.shortcut(ctrl(fyne.KeyReturn))
	if a := <-given; !a.Approve || a.Session || a.Code != "" {
		t.Errorf("answered %+v", a)
	}
	w.settled()
	w.store.Update(func(s *state.Snapshot) {
		connecting(s)
		s.Approvals[0].ApprovalID = "2"
	})
	w.armed()
	w.app.shortcut(ctrl(fyne.KeyD))
	if a := <-given; a.Approve {
		t.Errorf("answered %+v", a)
	}
}

func TestTheUserConnectsToAKernel(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) { busy(s); offers(s) })
	asked := make(chan catalog.SessionConnectIn, 1)
	catalog.SessionConnect.Handle(w.bus, func(_ context.Context, in catalog.SessionConnectIn) (catalog.SessionConnectOut, error) {
		asked <- in
		return catalog.SessionConnectOut{Result: catalog.OK, SessionID: uitest.SessionID(0), Connected: true}, nil
	}, nil)
	w.app.sessions.Connect(w.store.Snapshot().Kernels[1])
	w.says("CurveZMQ")
	w.app.sessions.Connect(console)
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Overlays().Top()) {
		if b, ok := o.(*kit.Button); ok && b.Text() == w.app.shell.k.T("kernel.connect") {
			test.Tap(b)
			break
		}
	}
	if in := <-asked; in.KernelID != console.KernelID || in.Server != catalog.ThisMachine {
		t.Errorf("asked %+v", in)
	}
	w.says("jupyter-console")
}

// TestTheMenuOfAKernelWithoutAServer checks that it offers neither a restart nor an end.
func TestTheMenuOfAKernelWithoutAServer(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) { busy(s); s.Sessions[0].Server = catalog.ThisMachine })
	var labels []string
	for _, i := range w.app.sessions.Items(w.store.Snapshot().Sessions[0].SessionID) {
		labels = append(labels, i.Label)
	}
	k := w.app.shell.k
	for _, key := range []string{"top.restart", "menu.jupyterlab", "menu.end_session"} {
		for _, l := range labels {
			if l == k.T(key) {
				t.Errorf("it offers %q", l)
			}
		}
	}
	if labels[len(labels)-1] != k.T("kernel.disconnect") {
		t.Errorf("got %q", labels)
	}
}
