package desktop

import (
	"os"
	"testing"
)

func TestScaleIsAPartOfTheUsersOwn(t *testing.T) {
	for _, x := range []struct {
		given   string
		own     float32
		percent int
		want    string
	}{
		{"", 1, 130, "1.30"}, {"", 0, 90, "0.90"}, {"", 1.5, 120, "1.80"}, {"2", 1, 150, "3.00"}, {"auto", 1, 110, "1.10"}, {"2", 1, 100, "2"}, {"", 1, 100, ""},
	} {
		t.Setenv("FYNE_SCALE", x.given)
		if x.given == "" {
			if err := os.Unsetenv("FYNE_SCALE"); err != nil {
				t.Fatal(err)
			}
		}
		set := Scale(x.own)
		set(140)
		set(x.percent)
		if got := os.Getenv("FYNE_SCALE"); got != x.want {
			t.Errorf("%+v: it is %q", x, got)
		}
	}
}
