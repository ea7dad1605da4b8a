package mimebundle_test

import (
	"testing"

	"easel/ui/core/mimebundle"
)

func TestPlainLeavesNoColour(t *testing.T) {
	if got := mimebundle.Plain("\x1b[0;31mZero\x1b[39mDivision\x1b]8;;http://x\x1b\\link\x1b]8;;\x07"); got != "ZeroDivisionlink" {
		t.Errorf("got %q", got)
	}
}
