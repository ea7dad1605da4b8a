package core

import (
	"errors"
	"strings"
	"testing"

	"easel/jupyter/managed"
)

func TestTheMessageOfAnInstallationInTheBackground(t *testing.T) {
	full := errors.New("the disk is full")
	for want, l := range map[string]*managed.Later{
		"":                                    nil,
		"still being installed":               {},
		"not installed yet: the disk is full": {Err: full},
		"is being built for its next start":   {Upgrade: true},
		"this one stays in use: the disk is full": {Upgrade: true, Err: full},
	} {
		h := health(ManagedServer, managed.Status{Phase: managed.Ready, Detail: "Jupyter runs", Later: l})
		if !strings.HasPrefix(h.Message, "Jupyter runs") || !strings.Contains(h.Message, want) || want == "" && h.Message != "Jupyter runs" {
			t.Errorf("got %q, want %q", h.Message, want)
		}
	}
}
