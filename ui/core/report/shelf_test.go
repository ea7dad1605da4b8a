package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShelf(t *testing.T) {
	address := func(kind string, size int) string {
		return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{byte(size)}, size))
	}
	script, style, small := address("text/javascript;charset=utf-8", 5000), address("text/css", 4000), address("image/png", 30)
	if !strings.HasSuffix(script, "=") || !strings.HasSuffix(style, "==") {
		t.Fatal("the addresses must end with padding")
	}
	var w bytes.Buffer
	s := newShelf(&w)
	for _, test := range []struct{ page, want string }{
		{"", ""},
		{"no library", "no library"},
		{`<script src="` + script + `"></script><link href='` + style + `'>`, `<script src="easel-library-0-"></script><link href='easel-library-1-'>`},
		{style + "=" + script, "easel-library-1-=easel-library-0-"},
		{"a " + small + " b " + script, "a " + small + " b easel-library-0-"},
		{"data:text/css;base64,", "data:text/css;base64,"},
		{"data:data:text/css;base64,!" + style, "data:data:text/css;base64,!easel-library-1-"},
	} {
		got, err := s.take([]byte(test.page))
		if diff := cmp.Diff(test.want, string(got)); diff != "" || err != nil {
			t.Errorf("%.40s: %v (-want +got):\n%s", test.page, err, diff)
		}
	}
	want := fmt.Sprintf("<script type=\"text/plain\" id=\"library-0\">%s</script>\n<script type=\"text/plain\" id=\"library-1\">%s</script>\n", script, style)
	if w.String() != want {
		t.Error("the libraries are not written once each")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }

func TestShelfOnAFullDisk(t *testing.T) {
	page := "data:text/css;base64," + strings.Repeat("a", 5000)
	if _, err := newShelf(fullDisk{}).take([]byte(page)); err == nil || err.Error() != "disk full" {
		t.Errorf("got %v", err)
	}
}
