package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// TestGeneratedGoClient generates a client from the served document with oapi-codegen. The
// client must compile and work.
func TestGeneratedGoClient(t *testing.T) {
	e := launch(t, options{jupyter: startJupyter(t)})
	_, document := do(t, e.request(t, http.MethodGet, "/api/v1/openapi.json", nil))

	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "client"))))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "openapi.json"), document, 0o600))
	generator := strings.TrimSpace(string(command(t, "", nil, "../scripts/tool", "oapi-codegen")))
	command(t, dir, nil, generator, "-generate", "types,client", "-package", "main", "-o", "client.gen.go", "openapi.json")
	command(t, dir, []string{"GOFLAGS=-mod=readonly", "GOWORK=off"}, "go", "build", "-o", "client", ".")

	var got struct {
		Status, Stdout, Result string
		Valid, Deleted         bool
		Images                 int
		MIMEType               string `json:"mime_type"`
		CreatedAt              string `json:"created_at"`
		Problem                string
	}
	out := command(t, dir, []string{"URL=" + e.URL, "TOKEN=" + e.Token}, filepath.Join(dir, "client"))
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	want := got
	want.Status, want.Stdout, want.Result, want.Valid = "ok", "from Go\n", "42", true
	want.Images, want.MIMEType = 1, "image/png"
	want.Problem, want.Deleted = "KERNEL_NOT_FOUND", true // errors, and the generic address
	if diff := cmp.Diff(want, got); diff != "" || got.CreatedAt == "" {
		t.Errorf("created at %q (-want +got):\n%s", got.CreatedAt, diff)
	}
}

// command runs a command and returns its output.
func command(t *testing.T, dir string, env []string, name string, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var out, diagnostics bytes.Buffer
	c.Stdout, c.Stderr = &out, &diagnostics
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", filepath.Base(name), err, out.String(), diagnostics.String())
	}
	return out.Bytes()
}
