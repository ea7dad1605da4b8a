package record

import (
	"testing"

	"easel/ui/core/library"
)

func TestTheNameOfAnEnvironmentSaysWhereItIs(t *testing.T) {
	for want, s := range map[string]library.Session{
		"sales/.venv":     {Environment: "sales/.venv, Python 3.12.1, uv", Project: "/home/ann/sales"},
		"gpu:sales/.venv": {Environment: "sales/.venv, Python 3.12.1, uv", Project: "ssh://gpu/home/ann/sales"},
		"ann@big:22":      {Project: "ssh://ann@big:22/home/ann/sales"}, // Easel's own Python there
		"":                {},
	} {
		if got := environmentName(s); got != want {
			t.Errorf("%+v: got %q, want %q", s, got, want)
		}
	}
}
