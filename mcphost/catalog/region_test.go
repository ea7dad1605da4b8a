package catalog

import (
	"image"
	"testing"
)

func TestCropURIs(t *testing.T) {
	const uri = "jupyter://sessions/a/images/b.png"
	r := image.Rect(3, 4, 13, 24)
	if got, part, ok := CutCrop(CropURI(uri, r)); got != uri || part != r || !ok {
		t.Errorf("%s %v %v", got, part, ok)
	}
	for _, bad := range []string{uri, uri + "#xywh=", uri + "#xywh=1,2,3", uri + "#xywh=-1,0,5,5", uri + "#xywh=0,0,0,5", uri + "#xywh=0,0,99999999,5", uri + "#t=3"} {
		if got, _, ok := CutCrop(bad); ok || got != bad {
			t.Errorf("%s: %s", bad, got)
		}
	}
}
