package catalog

import "testing"

func TestTheIDInAnAddressOfAnImage(t *testing.T) {
	const session = "jupyter://sessions/5ab0-1/images/"
	for uri, want := range map[string]string{
		session + "01abc.png":               "01abc",
		session + "01abc.png#xywh=1,2,3,4":  "01abc",
		session + "01abc" + PlotDataSuffix:  "01abc",
		session + ".png":                    "",
		session:                             "",
		"jupyter://sessions/5ab0-1/":        "",
		"file:///images/01abc.png":          "",
		"easel://state":                     "",
		"http://sessions/x/images/01abc.p":  "",
		"jupyter://sessions/5ab0-1/01abc.p": "",
	} {
		if got := ImageIDOf(uri); got != want {
			t.Errorf("%s: %q, want %q", uri, got, want)
		}
	}
}
