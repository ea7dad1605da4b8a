package assets_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"easel/assets"
	"easel/internal/require"
)

// testOnly are modules that no binary has.
var testOnly = map[string]bool{
	"github.com/google/go-cmp": true, "github.com/getkin/kin-openapi": true,
	"github.com/modelcontextprotocol/go-sdk": true, "github.com/stretchr/testify": true, "github.com/tiktoken-go/tokenizer": true,
	"github.com/xuri/excelize/v2": true,
}

func TestEveryDirectDependencyHasItsLicence(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1)
	if len(direct) < 10 {
		t.Fatalf("found %d direct dependencies in go.mod", len(direct))
	}
	for _, m := range direct {
		if !testOnly[m[1]] && !strings.Contains(assets.Licences, "\n"+m[1]+" v") {
			t.Errorf("%s is missing: run scripts/licences", m[1])
		}
	}
	if !strings.Contains(assets.Licences, "SIL OPEN FONT LICENSE") {
		t.Error("the font's licence is missing")
	}
}
