package kernels_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
)

func TestLiveGateways(t *testing.T) {
	for name, gateway := range map[string]func(testing.TB) jupytertest.RealOption{
		"Kernel Gateway":     jupytertest.WithKernelGateway,
		"Enterprise Gateway": jupytertest.WithEnterpriseGateway,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newForeign(t, gateway(t))
			began := time.Now()
			s := d.session()
			t.Logf("session_create: %v", time.Since(began))
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
				if err != nil || len(list) != 1 || list[0].SessionID != s.ID || list[0].Owner != kernels.OwnerEasel {
					t.Errorf("got %+v, %v", list, err)
				}
			})
			t.Run("what it lacks is said", func(t *testing.T) {
				if _, err := d.Create(d.context(), "", "python3", "a.ipynb", ""); !errors.Is(err, kernels.ErrNoContents) {
					t.Errorf("a notebook: %v", err)
				}
				if _, err := d.Connect(d.context(), "", "a.ipynb", "", ""); !errors.Is(err, kernels.ErrUnlisted) {
					t.Errorf("connect to a notebook: %v", err)
				}
				e := new(jupyter.NoSuchKernelSpecError)
				if _, err := d.Create(d.context(), "", "none", "", ""); !errors.As(err, &e) {
					t.Errorf("an unknown kernel: %v", err)
				}
			})
			t.Run("a kernel of somebody else, by its id", func(t *testing.T) {
				k, err := d.client.StartKernel(d.context(), jupyter.StartKernelRequest{Name: "python3", Env: map[string]string{"KERNEL_USERNAME": "ann"}})
				if err != nil {
					t.Fatal(err)
				}
				if v, err := d.Connect(d.context(), "", "", k.ID, ""); err != nil || v.Owner != kernels.OwnerOther {
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

func TestLiveKernelThatIsNotPython(t *testing.T) {
	t.Parallel()
	d := newForeign(t, jupytertest.WithKernelGateway(t))
	s, err := d.Create(d.context(), "", "bash", "", "test")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, d.run(s, "x=3; echo there $((x + 4))"), catalog.StatusOK, "there 7\n")
	if v := d.run(s, "cd /nowhere"); v.Status != catalog.StatusError || v.Error == nil {
		t.Errorf("a failure: %+v", v)
	}
	t.Run("it draws", func(t *testing.T) {
		file := filepath.Join(d.real.Dir, "a.gif")
		if err := os.WriteFile(file, []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), 0o600); err != nil {
			t.Fatal(err)
		}
		if v := d.run(s, "display < "+file); len(v.Images) != 1 {
			t.Errorf("got %d images: %q, %q", len(v.Images), v.Stdout, v.Stderr)
		}
	})
	t.Run("what is Python's is refused", func(t *testing.T) {
		if _, err := d.Variables(d.context(), s.ID, ""); !errors.Is(err, kernels.ErrNotPython) {
			t.Errorf("variables: %v", err)
		}
		if _, err := d.DataFrame(d.context(), s.ID, "df", 5); !errors.Is(err, kernels.ErrNotPython) {
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
