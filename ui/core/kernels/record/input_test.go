package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUserFrames(t *testing.T) {
	t.Parallel()
	got := userFrames([]string{
		"---------------------------------------",
		"\x1b[31mStdinNotImplementedError\x1b[39m                  Traceback (most recent call last)",
		"\x1b[36mCell In[2], line 4\x1b[39m\n----> 4 f()\n",
		"Cell \x1b[32mIn [3]\x1b[0m, in \x1b[36mf\x1b[39m()\n----> 2     return input()\n",
		"Input \x1b[0;32mIn [3]\x1b[0m, in g\n----> 1 input()",
		"File ~/project/mine.py:3, in ask()\n----> 3     return input()",
		"File ~/.venv/lib/python3.11/site-packages/click/termui.py:1, in prompt()",
		`File C:\Python\Lib\site-packages\ipykernel\kernelbase.py:1514, in Kernel.raw_input(self, prompt)`,
		"File /usr/lib/python3.13/cmd.py:1, in cmdloop()",
		"StdinNotImplementedError: raw_input was called, but this frontend does not support input requests.",
	})
	want := []string{
		"Cell In[2], line 4\n----> 4 f()",
		"Cell In [3], in f()\n----> 2     return input()",
		"Input In [3], in g\n----> 1 input()",
		"File ~/project/mine.py:3, in ask()\n----> 3     return input()",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
