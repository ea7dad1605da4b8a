package system

import (
	"runtime"
	"testing"
)

func TestFileURL(t *testing.T) {
	want := map[string]string{"/a b/図.png": "file:///a%20b/%E5%9B%B3.png", "/C:/x": "file:///C:/x"}
	if runtime.GOOS == "windows" {
		want = map[string]string{`C:\a b\図.png`: "file:///C:/a%20b/%E5%9B%B3.png"}
		if got := FileURL(`\\server\share\a.png`).String(); got != "file://server/share/a.png" {
			t.Errorf("of a share: %s", got)
		}
	}
	for path, address := range want {
		if got := FileURL(path).String(); got != address {
			t.Errorf("%s: got %s, want %s", path, got, address)
		}
		if got, ok := FilePath(address); !ok || got != path {
			t.Errorf("%s: got %q, %v, want %s", address, got, ok, path)
		}
	}
	for _, other := range []string{"file://elsewhere/a", "https://a/b", "/a", `C:\a`, "file:", "file://%zz/"} {
		if got, ok := FilePath(other); ok {
			t.Errorf("%s: got %q", other, got)
		}
	}
}
