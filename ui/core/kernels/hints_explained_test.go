package kernels_test

import (
	"strings"
	"testing"

	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
)

func TestLiveHintsOfCode(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	for code, hint := range map[string]string{
		"import matplotlib.pyplot as plt\nplt.plot([1, 3])\nplt.savefig('/dev/null', format='png')\nplt.close()": kernels.Hints["HintSavefig"],
	} {
		if v := d.run(s, code); v.Hint != hint {
			t.Errorf("%s: %q", code, v.Hint)
		}
	}
	if v := d.run(s, "name = 'x'"); v.Status != catalog.StatusOK {
		t.Errorf("the value in the code: %+v", v)
	}
	for _, code := range []string{"plt.plot([1, 3])\nplt.savefig('/dev/null', format='png')", "plt.plot([1, 3])\nplt.savefig('/dev/null', format='png')\nplt.show()"} {
		if v := d.run(s, code); len(v.Images) != 1 {
			t.Errorf("%s: %+v", code, v)
		}
	}
	v := d.run(s, "import matplotlib\nmatplotlib.use('Agg')\nplt.plot([1, 3])\nplt.show()")
	_, advice, found := strings.Cut(v.Hint, `"`)
	if !found || len(v.Images) > 0 {
		t.Fatalf("got %+v", v)
	}
	advice, _, _ = strings.Cut(advice, `"`)
	d.run(s, advice)
	if v := d.run(s, plot); len(v.Images) != 1 {
		t.Errorf("after %s: %+v", advice, v)
	}
}

// TestAMissingModuleIsExplainedOnce: a model that tries it again has read the hint.
func TestAMissingModuleIsExplainedOnce(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	var module string
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Busy()
		x.Input()
		x.Fail("ModuleNotFoundError", "No module named '"+module+"'")
		x.Idle()
	})
	for _, c := range []struct {
		module string
		hinted bool
	}{{"six", true}, {"six", false}, {"toolz", true}, {"toolz", false}} {
		module = c.module
		if v := d.run(s, "import "+module); strings.Contains(v.Hint, "%pip install "+module) != c.hinted || (v.Hint != "") != c.hinted {
			t.Errorf("%s: %q", module, v.Hint)
		}
	}
}

// TestLiveHintsOfErrors runs code that fails, and code whose program wants input, in a real kernel.
// It has Easel's modules: in a stock kernel, what a program writes to stderr may arrive after the
// execution has ended.
func TestLiveHintsOfErrors(t *testing.T) {
	t.Parallel()
	d := newFixture(t, jupytertest.WithModules())
	s := d.session()
	dir := t.TempDir()
	for _, c := range []struct{ code, want string }{
		{"import skopt_of_nobody", "No module"},
		{"import scikit_posthocs", "%pip install scikit-posthocs"},
		{"import json.nothing", ""},
		{"import os\nos.chdir(" + `"` + dir + `"` + ")", ""},
		{"open('never.csv')", dir},
		{"import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'input()'])", "gets no input"},
		{"1 / 0", ""},
	} {
		if v := d.run(s, c.code); (v.Hint == "") != (c.want == "") || !strings.Contains(v.Hint, c.want) {
			t.Errorf("%s: %q, want %q; stderr %q", c.code, v.Hint, c.want, v.Stderr)
		}
	}
	x := d.start(s, "!read answer")
	v := d.until(x, func(v catalog.Execution) bool { return v.Status == catalog.StatusRunning })
	if !strings.Contains(v.Hint, "waits for input") {
		t.Errorf("a shell that reads: %q", v.Hint)
	}
	if _, err := d.InterruptSession(d.context(), s.ID, false); err != nil {
		t.Error(err)
	}
	d.wait(x)
}
