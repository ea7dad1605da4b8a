package kernels_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
)

// TestLiveTheUserAnswersCode asks for input with real kernels.
func TestLiveTheUserAnswersCode(t *testing.T) { eachTransport(t, liveTheUserAnswersCode) }

func liveTheUserAnswersCode(t *testing.T, newFixture opener) {
	d := newFixture(t)
	s := d.session()
	d.input.window.Store(true)

	t.Run("two questions, in Japanese, and an empty answer", func(t *testing.T) {
		x := d.start(s, "print('begun')\na = input('名前は? ')\nb = input()\nprint([a, b])")
		d.until(x, hasStdout)
		d.answered("名前は? ", "山田 花子")
		if q := d.asked(); q.Prompt == "" && q.Before != "名前は? 山田 花子" {
			t.Errorf("an empty prompt is shown with %q", q.Before)
		}
		d.answered("", "")
		if v := d.wait(x); v.Stdout != "begun\n名前は? 山田 花子\n\n['山田 花子', '']\n" {
			t.Errorf("got %q, %+v", v.Stdout, v.Error)
		}
	})
	t.Run("a password", func(t *testing.T) {
		x := d.start(s, "import getpass\nn = len(getpass.getpass('Key: '))\nn")
		if q := d.asked(); !q.Password {
			t.Errorf("asked %+v", q)
		}
		d.answered("Key: ", "s3cr3t-漢字")
		if v := d.wait(x); v.Text != "9" || v.Stdout != "Key: ········\n" {
			t.Errorf("got %q, %q, %+v", v.Text, v.Stdout, v.Error)
		}
	})
	t.Run("after the variables were read meanwhile", func(t *testing.T) {
		code, open := d.gated("class Curious:\n    def __repr__(self): return input('who reads me? ')\nme = Curious()\nprint('begun', flush=True)", "input('late? ')")
		x := d.start(s, code)
		d.until(x, hasStdout)
		if _, err := d.Variables(d.context(), s.ID, ""); err != nil {
			t.Error(err)
		}
		open()
		d.answered("late? ", "yes")
		if v := d.wait(x); v.Text != "'yes'" {
			t.Errorf("got %q, %+v", v.Text, v.Error)
		}
	})
	t.Run("the debugger", func(t *testing.T) {
		x := d.start(s, "import pdb\ndef f(x):\n    pdb.set_trace()\n    return x * 2\nf(21)")
		d.answered("ipdb> ", "p x")
		d.answered("ipdb> ", "continue")
		v := d.wait(x)
		// What the debugger prints may arrive after the question that follows it.
		said := func(part string) bool { return strings.Contains(v.Stdout, part) }
		if v.Text != "42" || !said("ipdb> p x\n") || !said("ipdb> continue\n") || !said("\n21\n") {
			t.Errorf("got %q, %q, %+v", v.Text, v.Stdout, v.Error)
		}
	})
	t.Run("an interrupt that the code catches, and another question", func(t *testing.T) {
		x := d.start(s, "try:\n    input('first? ')\nexcept KeyboardInterrupt:\n    print(input('then? '))")
		d.asked()
		if _, err := d.InterruptSession(d.context(), s.ID, false); err != nil {
			t.Error(err)
		}
		d.answered("then? ", "yes")
		if v := d.wait(x); v.Status != catalog.StatusOK || !strings.HasSuffix(v.Stdout, "then? yes\nyes\n") {
			t.Errorf("got %s, %q, %+v", v.Status, v.Stdout, v.Error)
		}
	})
	t.Run("the end of input", func(t *testing.T) {
		x := d.start(s, "try:\n    input('? ')\nexcept EOFError as e:\n    print('EOF')")
		d.answered("? ", "\x04")
		if v := d.wait(x); v.Status != catalog.StatusOK || !strings.HasSuffix(v.Stdout, "EOF\n") {
			t.Errorf("got %s, %q", v.Status, v.Stdout)
		}
	})
	for name, c := range map[string]struct {
		end    func(s library.Session)
		status string
	}{
		"interrupt": {func(s library.Session) {
			_, err := d.InterruptSession(d.context(), s.ID, false)
			require.NoError(d.t, err)
		}, catalog.StatusInterrupted},
		"restart": {func(s library.Session) {
			_, err := d.Restart(d.context(), s.ID, false)
			require.NoError(d.t, err)
		}, catalog.StatusInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			// Each kernel asks before it is restarted only: for a moment after a restart, the server's socket for input may not be
			// connected, and the kernel's question is lost. It does not know that.
			s := d.session()
			x := d.start(s, "input('gone? ')")
			d.asked()
			c.end(s)
			if v := d.wait(x); v.Status != c.status {
				t.Errorf("got %s, %+v", v.Status, v.Error)
			}
			d.unasked()
			if v := d.run(s, "1 + 1"); v.Text != "2" {
				t.Errorf("then: %s, %+v", v.Text, v.Error)
			}
		})
	}
	t.Run("a killed kernel", func(t *testing.T) {
		kill := filepath.Join(t.TempDir(), "kill")
		x := d.start(s, "import os, threading, time\ndef die():\n    while not os.path.exists("+quoted(kill)+"): time.sleep(.01)\n    os._exit(9)\n"+
			"threading.Thread(target=die).start()\ninput('? ')")
		d.asked()
		require.NoError(t, os.WriteFile(kill, nil, 0o600))
		if v := d.wait(x); v.Status != catalog.StatusKernelDied {
			t.Errorf("got %s, %+v", v.Status, v.Error)
		}
		d.unasked()
		if v := d.run(s, "1 + 1"); v.Text != "2" { // also: the new process has started
			t.Errorf("then: %s, %+v", v.Text, v.Error)
		}
	})
}

func quoted(path string) string { return `"` + strings.ReplaceAll(path, `\`, `\\`) + `"` }

// TestLiveTheUserAnswersCodeInR asks with readline(), whose answer R's kernel also gets over stdin.
func TestLiveTheUserAnswersCodeInR(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	v, err := d.Create(d.context(), kernels.NewSession{KernelName: "ir", Client: "test"})
	require.NoError(t, err)
	s := library.Session{ID: v.ID, KernelID: v.KernelID}
	d.input.window.Store(true)
	x := d.start(s, "x <- readline('name? '); cat('hello', x)")
	d.answered("name? ", "花子")
	if v := d.wait(x); v.Stdout != "name? 花子\nhello 花子" {
		t.Errorf("got %q, %+v", v.Stdout, v.Error)
	}
	x = d.start(s, "readline('gone? ')")
	d.asked()
	if _, err := d.InterruptSession(d.context(), s.ID, false); err != nil {
		t.Error(err)
	}
	d.unasked()
	if v := d.wait(x); v.Status != catalog.StatusInterrupted {
		t.Errorf("got %s, %+v", v.Status, v.Error)
	}
}
