package projects_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/managed"
	"easel/mcphost/tool"
	"easel/ui/core/oversight"
	"easel/ui/core/projects"
	"easel/ui/core/state"
)

func TestTheUserIsAskedOncePerProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	require.NoError(t, os.Mkdir(filepath.Join(root, "data"), 0o700))
	for _, dir := range []string{root, filepath.Join(root, "data"), root} {
		place, hint, err := w.ForSession(in(t.Context(), dir), "", "python3")
		if err != nil || place == nil || hint != "" || place.Server != "sales" || place.Kernel != "python3" {
			t.Fatalf("%+v, %q, %v", place, hint, err)
		}
		if want := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(dir, root)), "/"); place.Directory != want {
			t.Errorf("works in %q, want %q", place.Directory, want)
		}
	}
	if n := w.questions(); n != 1 || w.asked[0].Root != root || !strings.HasPrefix(w.asked[0].Environment, "sales/.venv, Python 3.12.1") {
		t.Errorf("asked %d times: %+v", n, w.asked)
	}
	if got := w.Environment("sales", "python3"); !strings.HasPrefix(got, "sales/.venv") {
		t.Errorf("its Python is %q", got)
	}
	if server, err := w.At(t.Context(), filepath.Join(root, "data", "new.csv")); server != "sales" || err != nil {
		t.Errorf("a new file is on %q, %v", server, err)
	}
	w.store.Update(func(s *state.Snapshot) { s.Settings.Projects = s.Settings.Projects.Without(root) })
	if server, err := w.At(t.Context(), filepath.Join(root, "data")); server != "" || err != nil {
		t.Errorf("without the permission, a file is on %q, %v", server, err)
	}
	for range 2 { // its server still runs: a new session there needs the permission again
		if err := w.Permit(in(t.Context(), t.TempDir()), "sales"); err != nil {
			t.Error(err)
		}
	}
	if n := w.questions(); n != 2 || w.asked[1].Root != root || !strings.HasPrefix(w.asked[1].Environment, "sales/.venv, Python 3.12.1") {
		t.Errorf("asked %d times: %+v", n, w.asked)
	}
	w.store.Update(func(s *state.Snapshot) { s.Settings.Projects = s.Settings.Projects.Without(root) })
	w.answer = &oversight.DeniedError{Words: "done there"}
	err := w.PermitRestart(in(t.Context(), root), "sales")
	if e, ok := errors.AsType[*projects.Error](err); !ok || e.Problem != projects.NotAllowed || !strings.Contains(e.Detail, "no longer allows the project "+root) || !strings.Contains(e.Detail, "done there") {
		t.Errorf("a restart of a session there: %v", err)
	}
	if err := w.PermitRestart(in(t.Context(), root), "managed"); err != nil || w.questions() != 3 {
		t.Errorf("a restart elsewhere: %v, asked %d times", err, w.questions())
	}
}

// TestARefusal checks that a client that did not name the project gets a session elsewhere, and
// is told so, and that a click of the user needs no question.
func TestARefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	w.answer = &oversight.DeniedError{Words: "not today"}
	place, hint, err := w.ForSession(in(t.Context(), root), "", "python3")
	if err != nil || place != nil || !strings.Contains(hint, root) || !strings.Contains(hint, "not today") {
		t.Errorf("%+v, %q, %v", place, hint, err)
	}
	_, _, err = w.ForSession(in(t.Context(), "/"), root, "python3")
	if e, ok := errors.AsType[*projects.Error](err); !ok || e.Problem != projects.NotAllowed {
		t.Errorf("got %v", err)
	}
	user := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
	if place, _, err := w.ForSession(user, root, "python3"); err != nil || place == nil {
		t.Errorf("%+v, %v", place, err)
	}
	if n := w.questions(); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// TestWhichPythonASessionHas checks that each client has the Python of its environment, and that
// the user's choice overrides all.
func TestWhichPythonASessionHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	root := makeProject(t)
	other := addEnvironment(t, root, "other")
	if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Kernel != "python3" {
		t.Fatalf("%+v, %v", place, err)
	}
	active := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "codex", Workspace: tool.Workspace{Directory: root, VirtualEnv: filepath.Join(root, "other")}})
	place, _, err := w.ForSession(active, "", "python3")
	if err != nil || !regexp.MustCompile(`^python3-[0-9a-f]{8}$`).MatchString(place.Kernel) {
		t.Fatalf("%+v, %v", place, err)
	}
	if spec := w.hosts[root].specs[place.Kernel]; len(spec.Argv) == 0 || spec.Argv[0] != other {
		t.Errorf("the second kernel is %+v", spec)
	}
	w.store.Update(func(s *state.Snapshot) {
		s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: root, Python: other})
	})
	if place, _, err = w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Kernel != "python3" {
		t.Errorf("with the user's choice: %+v, %v", place, err)
	}
	if spec := w.hosts[root].specs["python3"]; spec.Argv[0] != other { // also for notebooks
		t.Errorf("python3 is %+v", spec)
	}
	w.store.Update(func(s *state.Snapshot) {
		s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: root, Python: state.EaselPython})
	})
	if place, _, err = w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Kernel != managed.EaselKernel || place.Hint != "" {
		t.Errorf("with Easel's own: %+v, %v", place, err)
	}
	if place, _, err = w.ForSession(in(t.Context(), root), "", "ir"); err != nil || place.Kernel != "" {
		t.Errorf("another language: %+v, %v", place, err)
	}
}

// TestNamesOfKernelsDoNotDependOnTheirOrder checks that a notebook with one of a project's other
// Pythons has the same one in the next run of Easel.
func TestNamesOfKernelsDoNotDependOnTheirOrder(t *testing.T) {
	t.Parallel()
	root := makeProject(t)
	names := make(map[string]string)
	for _, order := range [][]string{{addEnvironment(t, root, "one"), addEnvironment(t, root, "two")}, {addEnvironment(t, root, "two"), addEnvironment(t, root, "one")}} {
		w := newWorld(t, time.Hour)
		for _, python := range order {
			caller := tool.Caller{Transport: tool.MCP, Name: "codex", Workspace: tool.Workspace{Directory: root, VirtualEnv: filepath.Dir(filepath.Dir(python))}}
			place, _, err := w.ForSession(tool.WithCaller(t.Context(), caller), "", "python3")
			if err != nil || names[python] != "" && names[python] != place.Kernel {
				t.Errorf("%s: %+v, %v; before %q", python, place, err, names[python])
			}
			names[python] = place.Kernel
			if spec := w.hosts[root].specs[place.Kernel]; len(spec.Argv) == 0 || spec.Argv[0] != python {
				t.Errorf("%s: the kernel %s is %+v", python, place.Kernel, spec)
			}
		}
	}
}

// TestAPythonThatCannotRunAKernelIsTriedOnceForACall checks that a call does not wait twice for an
// interpreter that hangs, or for a network that is not there. The next call tries again.
func TestAPythonThatCannotRunAKernelIsTriedOnceForACall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	w.broken.Store(true)
	root := makeProject(t)
	for tries := int32(1); tries < 4; tries++ {
		_, _, err := w.ForSession(in(t.Context(), root), "", "python3")
		if e, ok := errors.AsType[*projects.Error](err); !ok || e.Problem != projects.NoKernel || w.prepared.Load() != tries || !strings.Contains(e.Remedy, fmt.Sprintf("directory=%q and name=\"easel\"", root)) {
			t.Errorf("tried %d times, want %d: %v", w.prepared.Load(), tries, err)
		}
	}
	w.broken.Store(false)
	if place, _, err := w.ForSession(in(t.Context(), root), "", "python3"); err != nil || place.Kernel != "python3" {
		t.Errorf("repaired: %+v, %v", place, err)
	}
}

// TestTwoProcessesOfAClient checks that each works in its own project, though both have the same
// name and no MCP session.
func TestTwoProcessesOfAClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	caller := func(root, holder string) context.Context {
		return tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "claude", Holder: holder, Workspace: tool.Workspace{Directory: root}})
	}
	one, two := caller(makeProject(t), "one"), caller(makeProject(t), "two")
	for _, ctx := range []context.Context{one, two} {
		if _, _, err := w.ForSession(ctx, "", "python3"); err != nil {
			t.Fatal(err)
		}
	}
	for _, ctx := range []context.Context{one, two} {
		want := tool.CallerFrom(ctx).Workspace.Directory
		if root, directory := w.Of(ctx); root != want || directory != want {
			t.Errorf("works in %q, %q; want %q", root, directory, want)
		}
	}
}

// TestRelativePathsBeginWhereTheClientWasStarted, also after a session in another project. A client that was
// started in no project works in that of its last session.
func TestRelativePathsBeginWhereTheClientWasStarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	home, other := makeProject(t), makeProject(t)
	for start, want := range map[string]string{home: home, "/": other, "": other} {
		ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "claude", Holder: "at " + start, Workspace: tool.Workspace{Directory: start}})
		for _, root := range []string{home, other} {
			place, _, err := w.ForSession(ctx, root, "python3")
			if err != nil || place.Root != root {
				t.Fatal(place, err)
			}
			w.Works(ctx, root)
		}
		if root, directory := w.Of(ctx); root != want || directory != want || w.Last(ctx) != other {
			t.Errorf("started in %q: works in %q, %q, last in %q; want %q", start, root, directory, w.Last(ctx), want)
		}
	}
}

// TestACallerInNoProjectIsToldOnce checks that a client that was started in the home directory learns
// why its session is elsewhere.
func TestACallerInNoProjectIsToldOnce(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	w := newWorld(t, time.Hour)
	for i, want := range []bool{true, false} {
		place, hint, err := w.ForSession(in(t.Context(), home), "", "python3")
		if err != nil || place != nil || strings.Contains(hint, "home directory") != want || strings.Contains(hint, "pass its folder as directory") != want {
			t.Errorf("call %d: %+v, %q, %v", i, place, hint, err)
		}
	}
}

// TestAnAddressInTheFormOfSCP checks that the error has the form that Easel understands.
func TestAnAddressInTheFormOfSCP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, time.Hour)
	_, _, err := w.ForSession(in(t.Context(), "/"), "ann@gpu:/home/ann/sales", "python3")
	if e, ok := errors.AsType[*projects.Error](err); !ok || !strings.Contains(e.Remedy, "ssh://ann@gpu/home/ann/sales") {
		t.Errorf("got %#v", err)
	}
}
