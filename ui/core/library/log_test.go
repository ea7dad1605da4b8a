package library

import (
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestCodeWithoutACallIsFoundByItsIndex: otherwise, each run would read all calls.
func TestCodeWithoutACallIsFoundByItsIndex(t *testing.T) {
	l := filled(t, 10)
	steps, err := collect(t.Context(), l.s, func(row scanner) (detail string, err error) {
		var a, b, c int
		err = row.Scan(&a, &b, &c, &detail)
		return detail, err
	}, `explain query plan select e.id from executions e where `+uncalled)
	require.NoError(t, err)
	if !slices.ContainsFunc(steps, func(s string) bool { return strings.Contains(s, "activities_execution") }) {
		t.Errorf("the plan is %s", strings.Join(steps, "\n"))
	}
}
