package doctor

import (
	"strings"
	"testing"
)

func TestWhatDrawsFiguresIsTold(t *testing.T) {
	for _, c := range []struct {
		python, web bool
		grade       grade
		text, hint  string
	}{
		{true, true, good, "with a browser", ""},
		{false, true, good, "with a browser", ""},
		{true, false, mind, "Plotly, Bokeh and other HTML figures are not", "Install Chrome"},
		{false, false, mind, "not drawn", "or start Easel once."},
	} {
		got := figureFindings(c.python, c.web)
		if len(got) != 1 || got[0].grade != c.grade || !strings.Contains(got[0].text, c.text) || !strings.Contains(got[0].todo, c.hint) {
			t.Errorf("python %v, browser %v: %+v", c.python, c.web, got)
		}
	}
}
