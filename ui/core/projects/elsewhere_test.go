//go:build unix

package projects_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/jupyter/remote"
	"easel/jupyter/tunnel"
	"easel/mcphost/tool"
	"easel/ui/core/oversight"
	"easel/ui/core/projects"
	"easel/ui/core/state"
)

// otherMachine makes ssh run scripts in this test, with a home directory of its own. What is copied
// there says of each directory that it is the project where.
func otherMachine(t *testing.T, where string) func(tunnel.Address) *remote.Machine {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
		return path
	}
	write("ssh", fmt.Sprintf("#!/bin/sh\nfor last; do :; done\nHOME='%s' XDG_CACHE_HOME= exec sh -c \"$last\"\n", dir))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	agent := write("agent", fmt.Sprintf(`#!/bin/sh
echo '{"id":0,"result":{"protocol":1}}'
while read -r request; do
	id=${request#*:}
	case $request in
	*'"find"'*link*) echo '{"id":'"${id%%%%,*}"',"result":{"project":{"Root":"%[1]s"},"directory":"%[1]s"}}' ;;
	*'"find"'*) echo '{"id":'"${id%%%%,*}"',"result":{"project":{"Root":"/home/ann/sales"},"directory":"/home/ann/sales"}}' ;;
	*) echo '{"id":'"${id%%%%,*}"',"error":{"kind":"failed","text":"not in this test"}}' ;;
	esac
done
`, where))
	return func(a tunnel.Address) *remote.Machine {
		return remote.New(remote.Config{Address: a, Owner: "test", Programs: remote.Programs{Self: agent}})
	}
}

// TestALinkLeadsOutOfAProject checks that a link within an allowed project on another machine, which
// may be a part of what was downloaded, gives no permission for the folder that it leads to.
func TestALinkLeadsOutOfAProject(t *testing.T) {
	for where, questions := range map[string]int{"/home/ann/secret": 1, "/home/ann/sales/data": 0} {
		machine := otherMachine(t, where)
		w := newWorld(t, 0, func(c *projects.Config) { c.Machine = machine })
		w.answer = &oversight.DeniedError{}
		w.store.Update(func(n *state.Snapshot) {
			n.Settings.Projects = n.Settings.Projects.With(state.Project{Root: "ssh://gpu/home/ann/sales"})
		})
		ctx := tool.WithCaller(context.Background(), tool.Caller{Transport: tool.MCP, Name: "claude"})
		_, _, err := w.ForSession(ctx, "ssh://gpu/home/ann/sales/link", "python3")
		if err == nil {
			t.Fatal("there was no error") // this machine starts no server
		}
		if n := w.questions(); n != questions {
			t.Errorf("%s: %d questions, want %d; %v", where, n, questions, err)
		}
		if got := w.Allows("ssh://gpu" + where); got != (questions == 0) {
			t.Errorf("%s is allowed: %v", where, got)
		}
	}
}

// TestAnAddressMayBeALink checks that the user may allow a project by an address that is a link.
func TestAnAddressMayBeALink(t *testing.T) {
	machine := otherMachine(t, "/scratch/ann/sales")
	w := newWorld(t, 0, func(c *projects.Config) { c.Machine = machine })
	w.store.Update(func(n *state.Snapshot) {
		n.Settings.Projects = n.Settings.Projects.With(state.Project{Root: "ssh://gpu/home/ann/link"})
	})
	ctx := tool.WithCaller(context.Background(), tool.Caller{Transport: tool.MCP, Name: "claude"})
	for _, dir := range []string{"ssh://gpu/home/ann/link", "ssh://gpu/home/ann/link/data"} {
		if _, _, err := w.ForSession(ctx, dir, "python3"); err == nil || w.questions() != 0 || !w.Allows("ssh://gpu/scratch/ann/sales") {
			t.Errorf("%s: %d questions, %v", dir, w.questions(), err)
		}
	}
}
