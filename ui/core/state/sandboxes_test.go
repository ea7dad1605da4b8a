//go:build !windows

package state

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

func TestSandboxes(t *testing.T) {
	var none Sandboxes
	s := none.With("/a/b", Sandbox{Network: true, Read: []string{"/data"}}).With("/c", Sandbox{}).With("relative", Sandbox{})
	for root, want := range map[string]bool{"/a/b": true, "/a/b/deeper/still": true, "/a": false, "/a/bc": false, "/c": true, "ssh://host/c": false, "": false} {
		if x, ok := s.Of(root); ok != want || x.Network && root == "/c" {
			t.Errorf("%s: %+v, %v", root, x, ok)
		}
	}
	if s.Without("/c").Without("/a/b") != none {
		t.Error("it is not empty")
	}
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var read Sandboxes
	require.NoError(t, json.Unmarshal(text, &read))
	if read != s {
		t.Errorf("%s", text)
	}
	require.NoError(t, json.Unmarshal([]byte(`{"/x": {"network": "yes"}, "/y": {"network": true, "read": ["here"]}, "z": {}}`), &read))
	got := map[string]Sandbox{}
	for _, root := range read.Roots() {
		got[root], _ = read.Of(root)
	}
	if diff := cmp.Diff(map[string]Sandbox{"/x": {}, "/y": {}}, got); diff != "" {
		t.Errorf("wrong entries (-want +got):\n%s", diff)
	}
}
