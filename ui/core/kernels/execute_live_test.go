package kernels_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
)

const plot = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.title('Three points')\nplt.show()\n"

func TestLiveExecutions(t *testing.T) {
	d := newFixture(t)
	s := d.session()

	t.Run("a result, text and a count", func(t *testing.T) {
		v := d.run(s, "import sys\nprint('out 日本')\nprint('err', file=sys.stderr)\n6*7")
		want := []any{catalog.StatusOK, true, "out 日本\n", "err\n", "42", 1}
		if diff := cmp.Diff(want, []any{v.Status, v.Success, v.Stdout, v.Stderr, v.Text, v.ExecutionCount}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("a plot is one image with its title", func(t *testing.T) {
		v := d.run(s, plot)
		if len(v.Images) != 1 {
			t.Fatalf("got %d images, status %s, stderr %q", len(v.Images), v.Status, v.Stderr)
		}
		i := v.Images[0]
		data, kept, err := d.lib.Images.Read(t.Context(), i.ImageID)
		require.NoError(t, err)
		if !bytes.HasPrefix(data, []byte("\x89PNG")) || kept.MIMEType != "image/png" || i.Width == 0 || i.Title != "Three points" || kept.ExecutionID != v.ExecutionID {
			t.Errorf("got %+v", kept)
		}
	})
	t.Run("an error keeps what came before it", func(t *testing.T) {
		v := d.run(s, "print('before')\n"+plot+"1/0")
		if v.Status != catalog.StatusError || v.Success || v.Stdout != "before\n" || len(v.Images) != 1 {
			t.Errorf("got %+v", v)
		}
		if v.Error == nil || v.Error.Code != catalog.CodeExecution || v.Error.Type != "ZeroDivisionError" || strings.Contains(v.Error.Traceback, "\x1b") || !strings.Contains(v.Error.Traceback, "1/0") {
			t.Errorf("got error %+v", v.Error)
		}
	})
	t.Run("input fails at once, in the user's words", func(t *testing.T) {
		for code, want := range map[string]catalog.ExecutionError{
			"input('? ')": {
				Message:   "input() is not available here: assign the value in the code instead.",
				Traceback: "----> 1 input('? ')",
			},
			"def ask():\n    return input()\nask()": {
				Message:   "input() is not available here: assign the value in the code instead.",
				Traceback: "----> 2     return input()",
			},
			"import getpass\ngetpass.getpass()": {
				Message:   "getpass() is not available here: read the secret from a file or an environment variable instead.",
				Traceback: "----> 2 getpass.getpass()",
			},
		} {
			v := d.run(s, code)
			e := v.Error
			if e == nil {
				t.Fatalf("%s: got %+v", code, v)
			}
			if diff := cmp.Diff([]any{catalog.StatusError, "StdinNotImplementedError", want.Message, ""}, []any{v.Status, e.Type, e.Message, v.Hint}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", code, diff)
			}
			if !strings.HasPrefix(e.Traceback, "Cell In[") || !strings.HasSuffix(e.Traceback, want.Traceback) || strings.Contains(e.Traceback, "ipykernel") {
				t.Errorf("%s: the traceback is\n%s", code, e.Traceback)
			}
			if v := d.run(s, "name = 'x'; name"); v.Text != "'x'" {
				t.Errorf("the value in the code: %+v", v)
			}
		}
	})
	t.Run("they run in order, one at a time", func(t *testing.T) {
		xs := make([]*execution.Execution, 5)
		for i := range xs {
			xs[i] = d.start(s, "import time; time.sleep(0.05); order = globals().get('order', []) + ["+string(rune('0'+i))+"]; order")
		}
		for i, x := range xs {
			if v := d.wait(x); !strings.HasSuffix(v.Text, string(rune('0'+i))+"]") {
				t.Errorf("%d: got %q", i, v.Text)
			}
		}
	})
	t.Run("clear_output and updates end as in a notebook", func(t *testing.T) {
		v := d.run(s, `
from IPython.display import display, clear_output, Image
print('gone'); clear_output(wait=True); print('stays')
import matplotlib.pyplot as plt, io
def png(n):
    b = io.BytesIO(); plt.figure(figsize=(1, 1)); plt.plot([n, 2]); plt.savefig(b); plt.close(); return Image(b.getvalue())
h = display(png(1), display_id=True)
h.update(png(5))
`)
		if v.Stdout != "stays\n" || len(v.Images) != 1 || v.Images[0].Replaces == "" {
			t.Errorf("got stdout %q, images %+v, stderr %s %v", v.Stdout, v.Images, v.Stderr, v.Error)
		}
	})
	t.Run("much output is bounded for the model and whole for the user", func(t *testing.T) {
		x := d.start(s, "for i in range(200000): print('line', i)")
		v := d.wait(x)
		if len(v.Stdout) > 21_000 || len(v.Truncated) != 1 || !strings.HasPrefix(v.Stdout, "line 0\n") || !strings.HasSuffix(v.Stdout, "line 199999\n") {
			t.Errorf("got %d bytes, %+v", len(v.Stdout), v.Truncated)
		}
		_, total, err := d.lib.Output.Read(t.Context(), x.ID(), "stdout", 0, 1)
		if err != nil || total != v.Truncated[0].TotalBytes || total < 2_000_000 {
			t.Errorf("kept %d of %+v: %v", total, v.Truncated, err)
		}
	})
	t.Run("an ended one reads the same from the library", func(t *testing.T) {
		want := d.run(s, "print('kept'); "+"1/0")
		kept, err := d.lib.Executions.Get(t.Context(), want.ExecutionID)
		if err != nil || kept.Status != want.Status || kept.Error == nil || *kept.Error != *want.Error {
			t.Errorf("got %+v, %v", kept, err)
		}
	})
}

func TestLiveStopping(t *testing.T) {
	d := newFixture(t)
	s := d.session()
	const long = "print('begun', flush=True)\nimport time\nwhile True: time.sleep(0.01)"

	t.Run("interrupt keeps what was printed", func(t *testing.T) {
		x := d.start(s, long)
		d.until(x, hasStdout)
		if _, err := d.InterruptSession(d.context(), s.ID, false); err != nil {
			t.Fatal(err)
		}
		v := d.wait(x)
		if v.Status != catalog.StatusInterrupted || v.Error.Code != catalog.CodeInterrupted || v.Stdout != "begun\n" {
			t.Errorf("got %+v %+v", v, v.Error)
		}
	})
	t.Run("cancel takes a waiting one out of the queue", func(t *testing.T) {
		x := d.start(s, long)
		waiting := d.start(s, "never = 1")
		d.until(x, running)
		d.Cancel(waiting)
		if v := d.wait(waiting); v.Status != catalog.StatusCancelled || v.StartedAt != nil {
			t.Errorf("got %+v", v)
		}
		d.Cancel(x)
		if v := d.wait(x); v.Status != catalog.StatusCancelled {
			t.Errorf("got %+v", v)
		}
		if v := d.run(s, "'never' in globals()"); v.Text != "False" {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("a timeout interrupts and keeps", func(t *testing.T) {
		x, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: plot + long, Timeout: 300 * time.Millisecond})
		require.NoError(t, err)
		v := d.wait(x)
		if v.Status != catalog.StatusTimeout || v.Error.Code != catalog.CodeTimeout {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("nothing runs: an interrupt does nothing", func(t *testing.T) {
		if v, err := d.InterruptSession(d.context(), s.ID, false); err != nil || v.Status != "idle" {
			t.Errorf("got %+v, %v", v, err)
		}
		if v := d.run(s, "1+1"); v.Text != "2" {
			t.Errorf("got %+v", v)
		}
	})
}

func TestLiveDeathAndRestart(t *testing.T) {
	d := newFixture(t)
	s := d.session()

	t.Run("a kernel that dies ends what ran and waited", func(t *testing.T) {
		code, die := d.gated("print('last words', flush=True)", suicide)
		x := d.start(s, code)
		waiting := d.start(s, "1")
		d.until(x, hasStdout)
		die()
		v, w := d.wait(x), d.wait(waiting)
		if v.Status != catalog.StatusKernelDied || v.Stdout != "last words\n" || w.Status != catalog.StatusKernelDied {
			t.Errorf("got %+v and %+v", v, w)
		}
		if v := d.run(s, "'x' in globals()"); v.Text != "False" {
			t.Errorf("after the death: %+v", v)
		}
		if g := d.Live()[0].Generation; g != 2 {
			t.Errorf("generation %d, want 2", g)
		}
	})
	t.Run("a restart by us", func(t *testing.T) {
		d.run(s, "x = 1")
		x := d.start(s, "import time; time.sleep(60)")
		d.until(x, running)
		v, err := d.Restart(d.context(), s.ID, false)
		if err != nil || v.Generation != 3 || v.Status != "idle" {
			t.Fatalf("got %+v, %v", v, err)
		}
		if v := d.wait(x); v.Status != catalog.StatusInterrupted {
			t.Errorf("got %+v", v)
		}
		if v := d.run(s, "'x' in globals()"); v.Text != "False" {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("a restart by somebody else", func(t *testing.T) {
		x := d.start(s, "import time; time.sleep(60)")
		d.until(x, running)
		if _, err := d.client.RestartKernel(d.context(), s.KernelID); err != nil {
			t.Fatal(err)
		}
		// The server interrupts the kernel before it ends it, and may end it before it has answered.
		if v := d.wait(x); v.Status != catalog.StatusKernelDied && v.Status != catalog.StatusInterrupted {
			t.Errorf("got %+v %+v", v, v.Error)
		}
		if v := d.run(s, "40+2"); v.Text != "42" {
			t.Errorf("got %+v", v)
		}
		if g := d.Live()[0].Generation; g != 4 {
			t.Errorf("generation %d, want 4", g)
		}
	})
	t.Run("a kernel deleted by somebody else", func(t *testing.T) {
		x := d.start(s, "import time; time.sleep(60)")
		d.until(x, running)
		require.NoError(t, d.client.DeleteKernel(d.context(), s.KernelID))
		if v := d.wait(x); v.Status != catalog.StatusKernelDied && v.Status != catalog.StatusInterrupted {
			t.Errorf("got %+v %+v", v, v.Error)
		}
		d.gone(s)
	})
}

// gone waits until the session is no longer live.
func (d *fixture) gone(s library.Session) {
	d.t.Helper()
	ctx := d.context()
	for {
		_, err := d.Execute(ctx, record.Request{SessionID: s.ID, Code: "1"})
		if errors.Is(err, kernels.ErrSessionNotFound) {
			return
		}
		if ctx.Err() != nil {
			d.t.Fatalf("still there: %v", err)
		}
	}
}

func TestLiveVariables(t *testing.T) {
	d := newFixture(t)
	s := d.session()
	if vs, err := d.Variables(d.context(), s.ID, ""); err != nil || len(vs) != 0 {
		t.Fatalf("got %+v, %v", vs, err)
	}
	d.run(s, `
import numpy as np, pandas as pd
df = pd.DataFrame(np.zeros((1000, 5)), columns=list('abcde'))
n, text, flag, nan = 3, 'x' * 300, True, float('nan')
class Hostile:
    def __repr__(self): raise SystemExit
    def __len__(self): raise KeyboardInterrupt
    def __getattr__(self, name): raise RuntimeError(name)
h = Hostile()
_hidden = 1
def f(): pass
`)
	vs, err := d.Variables(d.context(), s.ID, "")
	require.NoError(t, err)
	got := make(map[string]catalog.Variable)
	for _, v := range vs {
		got[v.Name] = v
	}
	want := []any{6, "1000 rows × 5 cols", float64(3), true, "NaN", true, "Hostile"}
	if diff := cmp.Diff(want, []any{len(vs), got["df"].Size, got["n"].Value, got["flag"].Value, got["nan"].Value, got["text"].Truncated, got["h"].Type}); diff != "" {
		t.Errorf("got %+v (-want +got):\n%s", vs, diff)
	}
	t.Run("a filter", func(t *testing.T) {
		if vs, err := d.Variables(d.context(), s.ID, "DATAF"); err != nil || len(vs) != 1 {
			t.Errorf("got %+v, %v", vs, err)
		}
	})
	t.Run("no trace is left", func(t *testing.T) {
		if v := d.run(s, "[k for k in globals() if 'easel' in k.lower()], len(In)"); v.Text != "([], 3)" || v.ExecutionCount != 2 {
			t.Errorf("got %q, count %d", v.Text, v.ExecutionCount)
		}
	})
	t.Run("while the kernel works", func(t *testing.T) {
		x := d.start(s, "import time; time.sleep(60)")
		d.until(x, running)
		if vs, err := d.Variables(d.context(), s.ID, "n"); err != nil || len(vs) == 0 {
			t.Errorf("got %+v, %v", vs, err)
		}
		d.Cancel(x)
		d.wait(x)
	})
	t.Run("a DataFrame", func(t *testing.T) {
		f, err := d.DataFrame(d.context(), s.ID, "df", 2, nil)
		if err != nil || f.Shape[0] != 1000 || len(f.Head) != 2 || f.Describe["a"]["count"] != float64(1000) || f.Dtypes["a"] != "float64" {
			t.Errorf("got %+v, %v", f, err)
		}
		if _, err := d.DataFrame(d.context(), s.ID, "n", 2, nil); !errors.Is(err, inspect.ErrNoFrame) {
			t.Errorf("got %v", err)
		}
		if _, err := d.DataFrame(d.context(), s.ID, "nope", 2, nil); !errors.Is(err, inspect.ErrNoVariable) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a DataFrame whose class overrides what pandas has", func(t *testing.T) {
		if v := d.run(s, overriding); v.Status != catalog.StatusOK {
			t.Fatalf("%+v", v.Error)
		}
		for _, name := range []string{"frame", "series", "copied", "bare"} {
			f, err := d.DataFrame(d.context(), s.ID, name, 2, nil)
			if err != nil || !slices.Equal(f.Shape, []int64{3, 1}) || len(f.Head) != 2 || f.Describe["km"]["count"] != float64(3) || !slices.Equal(f.Columns, []string{"km"}) {
				t.Errorf("%s: got %+v, %v", name, f, err)
			}
		}
		if v := d.run(s, "ran"); v.Text != "[]" {
			t.Errorf("these ran: %s", v.Text)
		}
	})
}

// overriding makes tables of classes that override attributes, and note what of them runs.
const overriding = `
import pandas as pd
ran = []
def noting(name, answer):
    return property(lambda self: ran.append(name) or answer)
own = {n: noting(n, []) for n in ("columns", "dtypes", "shape", "iloc", "empty", "T", "values", "memory_usage", "describe", "head", "isna")}
own["__len__"] = lambda self: ran.append("len") or 1
own["__getattr__"] = lambda self, name: ran.append(name)
Frame = type("Frame", (pd.DataFrame,), own)
Series = type("Series", (pd.Series,), {n: own[n] for n in ("shape", "iloc", "values", "memory_usage", "describe", "head", "isna")} | {"to_frame": own["T"]})
class Value:
    def __deepcopy__(self, memo): ran.append("copy"); return self
frame, series = Frame({"km": [1, 2, 3]}), Series([1, 2, 3], name="km")
bare = eval("type('Bare', (pd.DataFrame,), {})", {"pd": pd})({"km": [1, 2, 3]})
copied = pd.DataFrame({"km": [1, 2, 3]})
copied.attrs["value"] = Value()
ran.clear()
`
