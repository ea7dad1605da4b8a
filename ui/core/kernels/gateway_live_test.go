package kernels_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/library"
)

func TestLiveGateways(t *testing.T) {
	gateways := map[string]*jupytertest.Real{
		"Kernel Gateway":     jupytertest.Start(t, jupytertest.WithKernelGateway(t)),
		"Enterprise Gateway": jupytertest.Start(t, jupytertest.WithEnterpriseGateway(t)),
	}
	t.Run("two at once", func(t *testing.T) {
		t.Parallel()
		testTwoGateways(t, gateways["Kernel Gateway"], gateways["Enterprise Gateway"])
	})
	for name, gateway := range gateways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := openFixture(t, gateway.URL, gateway.Token, 1)
			s := d.session()
			t.Run("code, plots and variables", func(t *testing.T) {
				v := d.run(s, "x = [1, 3, 2]\nprint('there')\n"+plot+"sum(x)")
				expect(t, v, catalog.StatusOK, "there\n")
				if v.Text != "6" || len(v.Images) != 1 {
					t.Errorf("got %q, %d images, stderr %s", v.Text, len(v.Images), v.Stderr)
				}
				if vs, err := d.Variables(d.context(), s.ID, ""); err != nil || len(vs) != 1 || vs[0].Name != "x" {
					t.Errorf("got %+v, %v", vs, err)
				}
			})
			t.Run("the list has what Easel started there", func(t *testing.T) {
				list, err := d.List(d.context())
				if err != nil || len(list) != 1 || list[0].SessionID != s.ID || list[0].Owner != record.OwnerEasel {
					t.Errorf("got %+v, %v", list, err)
				}
			})
			t.Run("what it lacks is said", func(t *testing.T) {
				if _, err := d.Create(d.context(), kernels.NewSession{KernelName: "python3", Notebook: "a.ipynb"}); !errors.Is(err, kernels.ErrNoContents) {
					t.Errorf("a notebook: %v", err)
				}
				if _, err := d.Connect(d.context(), kernels.RunningKernel{Notebook: "a.ipynb"}); !errors.Is(err, survey.ErrUnlisted) {
					t.Errorf("connect to a notebook: %v", err)
				}
				e := new(jupyter.NoSuchKernelSpecError)
				if _, err := d.Create(d.context(), kernels.NewSession{KernelName: "none"}); !errors.As(err, &e) {
					t.Errorf("an unknown kernel: %v", err)
				}
			})
			t.Run("a kernel of somebody else, by its id", func(t *testing.T) {
				k, err := d.client.StartKernel(d.context(), jupyter.StartKernelRequest{Name: "python3", Env: map[string]string{"KERNEL_USERNAME": "ann"}})
				require.NoError(t, err)
				if v, err := d.Connect(d.context(), kernels.RunningKernel{KernelID: k.ID}); err != nil || v.Owner != record.OwnerOther {
					t.Errorf("got %+v, %v", v, err)
				}
				if _, err := d.Delete(d.context(), k.ID, true); err != nil {
					t.Error(err)
				}
			})
			t.Run("interrupt, restart and delete", func(t *testing.T) {
				x := d.start(s, asleep)
				d.until(x, hasStdout)
				// Enterprise Gateway requires an old ipykernel without subshells.
				if _, err := d.Variables(d.context(), s.ID, ""); errors.Is(err, jupyter.ErrKernelBusy) != (name == "Enterprise Gateway") {
					t.Errorf("variables while it is busy: %v", err)
				}
				if _, err := d.InterruptSession(d.context(), s.ID, false); err != nil {
					t.Error(err)
				}
				expect(t, d.wait(x), catalog.StatusInterrupted, "begun\n")
				if v, err := d.Restart(d.context(), s.ID, false); err != nil || v.Generation != 2 {
					t.Errorf("got %+v, %v", v, err)
				}
				if v := d.run(s, "'x' in globals()"); v.Text != "False" {
					t.Errorf("got %+v", v)
				}
				code, die := d.gated("print('last words', flush=True)", suicide)
				x = d.start(s, code)
				d.until(x, hasStdout)
				die()
				expect(t, d.wait(x), catalog.StatusKernelDied, "last words\n")
				if _, err := d.Delete(d.context(), s.ID, false); err != nil {
					t.Error(err)
				}
				if list, err := d.List(d.context()); err != nil || len(list) != 0 {
					t.Errorf("got %+v, %v", list, err)
				}
			})
		})
	}
}

// testTwoGateways runs code in a kernel on each of two gateways, at the same time.
func testTwoGateways(t *testing.T, one, two *jupytertest.Real) {
	d := openFixture(t, one.URL, one.Token, 1) // named "test"
	client, err := jupyter.New(two.URL, two.Token)
	require.NoError(t, err)
	d.Servers.Add("two", false)
	d.Servers.Set(client, catalog.ServerHealth{Name: "two", State: servers.StateReady})
	create := func(server string) library.Session {
		s, err := d.Create(d.context(), kernels.NewSession{Server: server, KernelName: "python3", Client: "test"})
		require.NoError(t, err)
		return s
	}
	a, b := create("test"), create("two")
	dir := t.TempDir()
	meet := func(mine, others string) string { // each waits for the other, so both run at once
		return fmt.Sprintf("import os, time\nopen(%q, 'w').close()\nwhile not os.path.exists(%q): time.sleep(0.01)\nprint(%q)", filepath.Join(dir, mine), filepath.Join(dir, others), mine)
	}
	x, y := d.start(a, meet("a", "b")), d.start(b, meet("b", "a"))
	expect(t, d.wait(x), catalog.StatusOK, "a\n")
	expect(t, d.wait(y), catalog.StatusOK, "b\n")
	list, err := d.List(d.context())
	servers := make(map[string]string)
	for _, s := range list {
		servers[s.SessionID] = s.Server
	}
	if err != nil || servers[a.ID] != "test" || servers[b.ID] != "two" {
		t.Errorf("got %v, %v", servers, err)
	}
	// An interrupt reaches the right one of two kernels that run.
	x, y = d.start(a, asleep), d.start(b, "print('begun')\n"+meet("d", "c"))
	d.until(x, hasStdout)
	d.until(y, hasStdout)
	if _, err := d.InterruptSession(d.context(), a.ID, false); err != nil {
		t.Error(err)
	}
	expect(t, d.wait(x), catalog.StatusInterrupted, "begun\n")
	expect(t, d.run(a, "open('"+filepath.Join(dir, "c")+"', 'w').close()"), catalog.StatusOK, "")
	expect(t, d.wait(y), catalog.StatusOK, "begun\nd\n")
	for _, s := range []library.Session{a, b} {
		if _, err := d.Delete(d.context(), s.ID, false); err != nil {
			t.Error(err)
		}
	}
}

func TestLiveKernelThatIsNotPython(t *testing.T) {
	t.Parallel()
	d := newForeign(t, jupytertest.WithKernelGateway(t))
	s, err := d.Create(d.context(), kernels.NewSession{KernelName: "bash", Client: "test"})
	require.NoError(t, err)
	expect(t, d.run(s, "x=3; echo there $((x + 4))"), catalog.StatusOK, "there 7\n")
	if v := d.run(s, "cd /nowhere"); v.Status != catalog.StatusError || v.Error == nil {
		t.Errorf("a failure: %+v", v)
	}
	t.Run("it draws", func(t *testing.T) {
		file := filepath.Join(d.real.Dir, "a.gif")
		require.NoError(t, os.WriteFile(file, []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), 0o600))
		if v := d.run(s, "display < "+file); len(v.Images) != 1 {
			t.Errorf("got %d images: %q, %q", len(v.Images), v.Stdout, v.Stderr)
		}
	})
	t.Run("what is Python's is refused", func(t *testing.T) {
		if _, err := d.Variables(d.context(), s.ID, ""); !errors.Is(err, inspect.ErrLanguage) {
			t.Errorf("variables: %v", err)
		}
		if _, err := d.DataFrame(d.context(), s.ID, "df", 5, nil); !errors.Is(err, inspect.ErrLanguage) {
			t.Errorf("data frame: %v", err)
		}
	})
	t.Run("it is cancelled", func(t *testing.T) {
		// Use one child process. bash ignores an interrupt that arrives between its own
		// echo and the start of a child (one in four, on a busy machine).
		x := d.start(s, "bash -c 'echo begun; exec tail -f /dev/null'")
		d.until(x, hasStdout)
		d.Cancel(x)
		if v := d.wait(x); v.Status != catalog.StatusCancelled || !strings.HasPrefix(v.Stdout, "begun\n") { // bash adds a line end
			t.Errorf("got %s, %q", v.Status, v.Stdout)
		}
		expect(t, d.run(s, "echo on"), catalog.StatusOK, "on\n")
	})
}
