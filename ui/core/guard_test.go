package core

import (
	"strings"
	"testing"

	"easel/internal/mask"
	"easel/ui/core/private"
)

func TestAPathWithATokenIsNotGivenToJupyter(t *testing.T) {
	m := mask.New()
	m.Set(mask.Easel, "NTdhYjQ5ZDctYTJkZi00")
	root := t.TempDir()
	c := &Core{cfg: Config{Mask: m}, private: private.New(root+"/data", root)}
	for path, refused := range map[string]bool{
		"/a.ipynb": false, "/NTdhYjQ5ZDctYTJkZi00": true, "/x/NTdhYjQ5ZDctYTJkZi00/a.ipynb": true,
	} {
		if why := c.guard(root + path); refused != strings.HasPrefix(why, "contains a token") || !refused && why != "" {
			t.Errorf("%s: %q", path, why)
		}
	}
}
