package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestConformance runs MCP's official conformance suite against the real Easel. Expected
// failures are listed with their reasons. mcphost also runs the suite, with the fixtures that
// it requires.
func TestConformance(t *testing.T) {
	node := os.Getenv("EASEL_TEST_NODE")
	if node == "" {
		t.Skip("EASEL_TEST_NODE names no directory; make test sets it")
	}
	e := launch(t, options{})
	helper, err := filepath.Abs(filepath.Join("node", "token.mjs"))
	require.NoError(t, err)
	suite := exec.CommandContext(t.Context(), filepath.Join(node, "bin", "node"), "--import", helper,
		filepath.Join(node, "node_modules", ".bin", "conformance"), "server", "--url", e.URL+"/mcp",
		"--suite", "all", "--expected-failures", filepath.Join("node", "conformance-easel.yml"))
	suite.Env = append(cleanEnv(t.TempDir(), false), "EASEL_TEST_TOKEN="+e.Token)
	out, err := suite.CombinedOutput()
	if err != nil {
		t.Errorf("the suite: %v\n%s", err, out)
	}
	for _, scenario := range []string{
		"server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "resources-list",
		"resources-subscribe", "resources-unsubscribe", "prompts-list", "dns-rebinding-protection",
	} {
		if !strings.Contains(string(out), "✓ "+scenario+":") {
			t.Errorf("%s did not pass:\n%s", scenario, out)
		}
	}
	if strings.Contains(e.out.String(), e.Token) {
		t.Error("Easel wrote its token")
	}
}
