package sidebar

import (
	"maps"
	"testing"
)

func TestProjectsOfOneNameAreToldApart(t *testing.T) {
	want := map[string]string{
		"/home/ann/sales":                "ann/sales",
		"/home/ben/sales":                "ben/sales",
		"/home/ann/forecast":             "forecast",
		"ssh://gpu/home/ann/forecast":    "gpu:forecast",
		"ssh://ann@big:22/srv/売上/sales":  "ann@big:22:売上/sales",
		"ssh://ann@big:22/srv/old/sales": "ann@big:22:old/sales",
	}
	roots := make([]string, 0, len(want))
	for root := range want {
		roots = append(roots, root)
	}
	if got := folderNames(roots); !maps.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
