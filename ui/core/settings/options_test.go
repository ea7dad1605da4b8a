package settings

import "testing"

// TestWhatAnOptionIsFrom checks that a flag has priority over its variable, and that empty
// values are ignored.
func TestWhatAnOptionIsFrom(t *testing.T) {
	env := map[string]string{"EASEL_PORT": "6001", "EASEL_ROOT_DIR": "/srv"}
	for name, x := range map[string]struct {
		args       []string
		env        map[string]string
		port, root string
	}{
		"nothing":       {nil, nil, "", ""},
		"variables":     {nil, env, "EASEL_PORT", "EASEL_ROOT_DIR"},
		"flags":         {[]string{"--port", "6002", "--root-dir=/srv"}, env, "--port", "--root-dir"},
		"an empty flag": {[]string{"--root-dir="}, env, "EASEL_PORT", ""},
	} {
		o, err := Parse(x.args, func(name string) string { return x.env[name] })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if o.PortBy != x.port || o.RootDirBy != x.root {
			t.Errorf("%s: port by %q, folder by %q, want %q and %q", name, o.PortBy, o.RootDirBy, x.port, x.root)
		}
	}
}
