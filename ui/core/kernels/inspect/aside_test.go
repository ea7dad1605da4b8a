package inspect

import (
	"os/exec"
	"testing"

	"easel/jupyter/jupytertest"
)

// threads has many threads end requests beside the main thread, as in subshells of several Easels.
const threads = `
import sys, threading, IPython
shell = IPython.InteractiveShell.instance()
ends = []
shell.events.register("post_execute", lambda: ends.append(threading.current_thread() is threading.main_thread()))
source, wrong = sys.argv[1], []
def subshell():
    for _ in range(500):
        exec(source, {})
        if "trigger" not in vars(shell.events):
            wrong.append("not kept aside")
        shell.events.trigger("post_execute")
beside = [threading.Thread(target=subshell) for _ in range(4)]
for t in beside: t.start()
n = 0
while any(t.is_alive() for t in beside):
    shell.events.trigger("post_execute"); n += 1
shell.events.trigger("post_execute")
assert ends == [True] * (n + 1), (len(ends), n + 1, ends.count(False))
assert not wrong, len(wrong)
assert "trigger" not in vars(shell.events), "it is still there"
`

func TestLiveManySubshellsEndTheirRequestsAside(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), jupytertest.Python(t), "-c", threads, asideSource).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
