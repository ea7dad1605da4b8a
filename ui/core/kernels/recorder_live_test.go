package kernels_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
)

const (
	// suicide is code that kills its kernel.
	suicide = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
	asleep  = "print('begun', flush=True)\nimport time; time.sleep(120)"
)

func TestLiveServerKilledAndStartedAnew(t *testing.T) {
	eachTransport(t, liveServerKilledAndStartedAnew)
}

func liveServerKilledAndStartedAnew(t *testing.T, newFixture opener) {
	d := newFixture(t)
	s := d.session()
	x, waiting := d.start(s, asleep), d.start(s, "1")
	d.until(x, hasStdout)
	d.real.Kill()
	d.awaitStatus(s, "disconnected")
	later := d.start(s, "2")
	d.real.Up()
	expect(t, d.wait(x), catalog.StatusKernelDied, "begun\n")
	expect(t, d.wait(waiting), catalog.StatusKernelDied, "")
	expect(t, d.wait(later), catalog.StatusKernelDied, "")
	d.gone(s)
	if v := d.run(d.session(), "40+2"); v.Text != "42" {
		t.Errorf("got %+v", v)
	}
}

func TestLiveKernelThatDiesAgainAndAgain(t *testing.T) {
	eachTransportAtNight(t, liveKernelThatDiesAgainAndAgain)
}

func liveKernelThatDiesAgainAndAgain(t *testing.T, newFixture opener) {
	// By default, Jupyter resets its count of deaths when a kernel has run for ten seconds.
	// On a slow machine, the kernel has hardly started by then.
	d := newFixture(t, jupytertest.WithArgs("--KernelRestarter.stable_start_time=600"))
	s := d.session()
	t.Run("once more while it starts again", func(t *testing.T) {
		// IPython runs this at the start of a kernel, which kills the next process.
		startup := filepath.Join(d.real.Dir, "ipython", "profile_default", "startup")
		require.NoError(t, os.MkdirAll(startup, 0o700))
		mine := filepath.Join(d.real.Dir, "mine")
		script := fmt.Sprintf("import os, signal\nif os.path.exists(%q):\n    os.remove(%q)\n    os.kill(os.getpid(), signal.SIGKILL)\n", mine, mine)
		for path, text := range map[string]string{filepath.Join(startup, "00-die.py"): script, mine: ""} {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		code, die := d.gated("print('last words', flush=True)", suicide)
		x := d.start(s, code)
		d.until(x, hasStdout)
		die()
		expect(t, d.wait(x), catalog.StatusKernelDied, "last words\n")
		v := d.run(s, "'back'")
		for range 3 { // the second death may end it with an error; then it can be run again
			if v.Status == catalog.StatusOK {
				break
			}
			t.Logf("while it started: %s, %s", v.Status, v.Error.Message)
			v = d.run(s, "'back'")
		}
		if v.Text != "'back'" {
			t.Errorf("got %+v", v)
		}
		if _, err := os.Stat(mine); err == nil {
			t.Error("it did not die a second time")
		}
	})
	t.Run("until the server gives it up", func(t *testing.T) {
		for range 8 {
			x, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: suicide})
			if err != nil {
				break
			}
			if v := d.wait(x); v.Status != catalog.StatusKernelDied {
				t.Errorf("got %s %+v", v.Status, v.Error)
			}
		}
		d.gone(s)
	})
}

func TestLiveTheUserChangesTheKernelOfTheNotebook(t *testing.T) {
	eachTransportAtNight(t, liveTheUserChangesTheKernelOfTheNotebook)
}

func liveTheUserChangesTheKernelOfTheNotebook(t *testing.T, newFixture opener) {
	d := newFixture(t)
	s, err := d.Create(d.context(), kernels.NewSession{KernelName: "python3", Notebook: "a.ipynb", Client: "test"})
	require.NoError(t, err)
	d.run(s, "x = 1")
	x := d.start(s, asleep)
	d.until(x, hasStdout)
	body := `{"kernel": {"name": "python3", "id": null}}`
	req, err := http.NewRequestWithContext(d.context(), http.MethodPatch, d.real.URL+"/api/sessions/"+s.ID, bytes.NewReader([]byte(body)))
	require.NoError(t, err)
	req.Header.Set("Authorization", "token "+d.real.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("PATCH: %s, %v", resp.Status, err)
	}
	// Before Jupyter ends a kernel, it interrupts it. A fast kernel still answers that.
	v := d.wait(x)
	if v.Status == catalog.StatusInterrupted {
		expect(t, v, catalog.StatusInterrupted, "begun\n")
	} else {
		expect(t, v, catalog.StatusKernelDied, "begun\n")
	}
	d.awaitGeneration(s, 2)
	if v := d.run(s, "'x' in globals()"); v.Text != "False" || v.SessionID != s.ID {
		t.Errorf("got %+v", v)
	}
	for _, v := range d.Live() {
		if v.ID == s.ID && (v.KernelID == s.KernelID || v.NotebookPath != "a.ipynb") {
			t.Errorf("the session is %+v", v)
		}
	}
}

// awaitGeneration waits until the session is live with generation n.
func (d *fixture) awaitGeneration(s library.Session, n int) {
	d.t.Helper()
	ctx := d.context()
	for {
		for _, v := range d.Live() {
			if v.ID == s.ID && v.Generation == n {
				return
			}
		}
		select {
		case <-ctx.Done():
			d.t.Fatalf("not in generation %d: %+v", n, d.Live())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestLiveManyAtOnce(t *testing.T) { eachTransportAtNight(t, liveManyAtOnce) }

func liveManyAtOnce(t *testing.T, newFixture opener) {
	d := newFixture(t)
	sessions := make([]library.Session, 4)
	for i := range sessions {
		sessions[i] = d.session()
	}
	xs := make([]*execution.Execution, 64)
	for i := range xs {
		code := fmt.Sprintf("n = globals().get('n', -1) + 1\nprint('number', %d)\nassert n == %d\nn", i, i/4)
		if i%16 == 7 {
			code += "\n1/0"
		}
		xs[i] = d.start(sessions[i%4], code)
	}
	for i, x := range xs {
		v := d.wait(x)
		want := catalog.StatusOK
		if i%16 == 7 {
			want = catalog.StatusError
		}
		expect(t, v, want, fmt.Sprintf("number %d\n", i))
		if want == catalog.StatusOK && v.Text != fmt.Sprint(i/4) {
			t.Errorf("%d: out of order: %+v", i, v)
		}
	}
}

func TestLiveLateOutputOfThreads(t *testing.T) { eachTransport(t, liveLateOutputOfThreads) }

func liveLateOutputOfThreads(t *testing.T, newFixture opener) {
	d := newFixture(t)
	s := d.session()
	x := d.start(s, plot+`
import threading
def late():
    import time; time.sleep(0.5)
    print('late')
    from IPython.display import Image, display
    display(Image(data=png, format='png'))
import io; b = io.BytesIO(); plt.figure(); plt.plot([1, 2]); plt.savefig(b); plt.close(); png = b.getvalue()
threading.Thread(target=late).start()
print('in time')
`)
	if v := d.wait(x); v.Status != catalog.StatusOK || len(v.Images) != 1 {
		t.Fatalf("got %+v", v)
	}
	v := d.until(x, func(v catalog.Execution) bool { return len(v.Images) == 2 && strings.Contains(v.Stdout, "late") })
	if v.Status != catalog.StatusOK {
		t.Errorf("got %+v", v)
	}
	kept, err := d.lib.Images.OfExecution(t.Context(), x.ID())
	if err != nil || len(kept) != 2 {
		t.Errorf("kept %d images, %v", len(kept), err)
	}
}

func TestLiveFloods(t *testing.T) {
	t.Parallel()
	const megabytes = 10
	flood := fmt.Sprintf("line = 'x' * 99\nfor i in range(%d): print(line)\nprint('end')", megabytes*10_000)
	for name, c := range map[string]struct {
		open  opener
		opts  []jupytertest.RealOption
		whole bool
	}{
		"past the server": {newFixture, nil, true},
		// A slow machine may not print fast enough to reach the default limit.
		"with the server's limit":    {newForeign, []jupytertest.RealOption{jupytertest.WithArgs("--ZMQChannelsWebsocketConnection.iopub_data_rate_limit=100000")}, false},
		"without the server's limit": {newForeign, []jupytertest.RealOption{jupytertest.WithArgs("--ZMQChannelsWebsocketConnection.limit_rate=False")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := c.open(t, c.opts...)
			s := d.session()
			x := d.start(s, flood)
			v := d.wait(x)
			_, total, err := d.lib.Output.Read(t.Context(), x.ID(), "stdout", 0, 1)
			if err != nil || v.Status != catalog.StatusOK {
				t.Fatalf("got %s, %v", v.Status, err)
			}
			said := false
			for _, n := range v.Truncated {
				said = said || strings.Contains(n.Reason, "the Jupyter server dropped output")
			}
			all := int64(megabytes*1_000_000 + 4)
			if c.whole && (total != all || said) || !c.whole && (total == all || !said) {
				t.Errorf("got %d of %d bytes, told of a loss: %v", total, all, said)
			}
			if v := d.run(s, "1+1"); v.Text != "2" {
				t.Errorf("after it: %+v", v)
			}
		})
	}
}

func TestLiveBadNetwork(t *testing.T) {
	t.Parallel()
	d := newForeign(t)
	proxy := jupytertest.NewProxy(t, d.real.URL)
	far := openFixture(t, proxy.URL, d.real.Token, 1)
	s := far.session()
	t.Run("cut, and nobody else listens: nothing is lost", func(t *testing.T) {
		code, resume := far.gated("print('begun', flush=True)", "for i in range(8): print(i, flush=True)")
		x := far.start(s, code)
		far.until(x, hasStdout)
		proxy.Cut()
		far.until(x, func(v catalog.Execution) bool { return len(v.Truncated) == 1 }) // the loss is noticed and reported
		far.awaitStatus(s, "busy")                                                    // the server has noticed it, too; before, it writes to a dead connection
		resume()
		expect(t, far.wait(x), catalog.StatusOK, "begun\n0\n1\n2\n3\n4\n5\n6\n7\n")
	})
	t.Run("frozen without a sign", func(t *testing.T) {
		proxy.Freeze()
		x := far.start(s, "6*7")
		v := far.waitFor(x, 2*time.Minute)
		if v.Status != catalog.StatusLost && v.Text != "42" {
			t.Errorf("got %s, %+v", v.Status, v.Error)
		}
		if v := far.run(s, "1+1"); v.Text != "2" {
			t.Errorf("after it: %+v", v)
		}
	})
	// The last one, because after many cuts in a second, jupyter-server sometimes mixes up the
	// connections, and the next one stays without answers.
	t.Run("cut, and the end goes to somebody else", func(t *testing.T) {
		other, err := d.client.Follow(d.context(), s.KernelID, jupyter.FollowOptions{})
		require.NoError(t, err)
		defer other.Close()
		code, resume := far.gated("print('begun', flush=True)", "print('end')")
		x := far.start(s, code)
		far.until(x, hasStdout)
		for i := range 20 {
			proxy.Cut()
			if i == 0 {
				far.until(x, func(v catalog.Execution) bool { return len(v.Truncated) == 1 })
			}
			if i == 10 {
				resume()
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			<-ctx.Done() // the network is bad for two seconds
			cancel()
		}
		v := far.wait(x)
		// If the reply arrived and the idle went to the other client, there are two notes:
		// for the lost connection and for the missing last message.
		said := len(v.Truncated)
		if v.Status != catalog.StatusLost && v.Status != catalog.StatusOK || !strings.HasPrefix(v.Stdout, "begun\n") {
			t.Errorf("got %s, %q", v.Status, v.Stdout)
		}
		if said != 1 && (said != 2 || v.Status != catalog.StatusOK) {
			t.Errorf("%s, told of %+v", v.Status, v.Truncated)
		}
		v = far.run(s, "1+1")
		// If the last cut is not noticed yet, the request goes to a dead connection. Then it
		// ends as lost, and can be run again.
		for range 3 {
			if v.Status != catalog.StatusLost || v.StartedAt != nil {
				break
			}
			t.Logf("after the last cut: %s", v.Error.Message)
			v = far.run(s, "1+1")
		}
		if v.Text != "2" {
			t.Errorf("after it: %+v", v)
		}
	})
}
