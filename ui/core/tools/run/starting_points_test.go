package run

import (
	"testing"

	"easel/ui/core/kernels/servers"
)

func TestTheInterpreterOfAKernelspec(t *testing.T) {
	t.Parallel()
	own := &sessions{python: func() string { return "/easel/python" }}
	none := &sessions{python: func() string { return "" }}
	for _, c := range []struct {
		of            *sessions
		managed       bool
		program, want string
	}{
		{own, true, "python", "/easel/python"},
		{own, true, "python3", "/easel/python"},
		{own, true, "/usr/bin/python3", "/usr/bin/python3"},
		{own, true, "R", "R"},
		{own, false, "python", "python"},
		{none, true, "python", "python"},
		{new(sessions), true, "python", "python"},
	} {
		if got := c.of.program(&servers.Server{Managed: c.managed}, c.program); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
