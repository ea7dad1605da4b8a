package oversight

import (
	"testing"

	"easel/mcphost/catalog"
)

func TestTestedNamesTheVersion(t *testing.T) {
	if mode, version, ok := Tested("@cline/core"); mode != catalog.ImagesLink || version == "" || !ok {
		t.Errorf("Cline: %q, %q, %v", mode, version, ok)
	}
	if _, _, ok := Tested("a new one"); ok {
		t.Error("a client that nobody has tested is known")
	}
}
