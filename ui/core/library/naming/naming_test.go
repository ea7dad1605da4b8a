package naming

import (
	"strings"
	"testing"
)

func TestURIsAreTakenApartOrRefused(t *testing.T) {
	session, image, ext, err := ParseURI(URI("5ab0-1", "01abc", "png"))
	if session != "5ab0-1" || image != "01abc" || ext != "png" || err != nil {
		t.Error(session, image, ext, err)
	}
	for _, bad := range []string{
		"", "jupyter://", "jupyter://sessions/", "jupyter://sessions/s/images/", "jupyter://sessions/s/images/x", "jupyter://sessions/s/images/.png",
		"jupyter://sessions//images/x.png", "jupyter://sessions/../images/x.png", "jupyter://sessions/a/b/images/x.png", "jupyter://sessions/s/images/../x.png",
		"jupyter://sessions/s/images/x.PNG", "jupyter://sessions/s/images/x.png?y", "JUPYTER://sessions/s/images/x.png", "file:///etc/passwd",
		"jupyter://sessions/s/images/x.png.png", "jupyter://sessions/" + strings.Repeat("x", 200) + "/images/x.png",
	} {
		if s, i, e, err := ParseURI(bad); err == nil {
			t.Errorf("%q: %q %q %q", bad, s, i, e)
		}
	}
}

func FuzzParseURI(f *testing.F) {
	f.Add("jupyter://sessions/s/images/x.png")
	f.Add("jupyter://sessions/s/images/../x.png")
	f.Fuzz(func(t *testing.T, uri string) {
		s, i, e, err := ParseURI(uri)
		if err == nil && URI(s, i, e) != uri {
			t.Errorf("%q came back as %q", uri, URI(s, i, e))
		}
	})
}
