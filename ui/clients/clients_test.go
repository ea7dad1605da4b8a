package clients_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/ui/clients"
)

const snippet = `{"mcpServers": {"easel": {"url": "http://127.0.0.1:5149/mcp"}}}`

func TestWriteLeavesAllElseAsItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	before := "{\n    \"zoom\": 1e2,\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\", \"args\": []}\n    },\n    \"a\": null\n}"
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := clients.Look(path, snippet); got != clients.Absent {
		t.Errorf("before: %d", got)
	}
	backup, err := clients.Write(path, snippet)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(backup); err != nil || string(kept) != before {
		t.Errorf("the copy is %q, %v", kept, err)
	}
	after, err := os.ReadFile(path)
	want := "{\n    \"zoom\": 1e2,\n    \"mcpServers\": {\n        \"other\": {\n            \"command\": \"x\",\n            \"args\": []\n        },\n" +
		"        \"easel\": {\n            \"url\": \"http://127.0.0.1:5149/mcp\"\n        }\n    },\n    \"a\": null\n}\n"
	if err != nil || string(after) != want {
		t.Errorf("got\n%s, %v", after, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("it may hold a token, and its mode is %v, %v", info.Mode(), err)
	}
	if got := clients.Look(path, snippet); got != clients.Same {
		t.Errorf("after: %d", got)
	}
	other := strings.ReplaceAll(snippet, "5149", "6000")
	if got := clients.Look(path, other); got != clients.Other {
		t.Errorf("of another port: %d", got)
	}
	again, err := clients.Write(path, other)
	if err != nil || again == backup {
		t.Errorf("the first copy was replaced: %q, %v", again, err)
	}
	if got := clients.Look(path, other); got != clients.Same {
		t.Errorf("after the second time: %d", got)
	}
}

func TestWriteMakesAFileWhereThereIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Claude", "config.json")
	backup, err := clients.Write(path, snippet)
	if err != nil || backup != "" || clients.Look(path, snippet) != clients.Same {
		t.Errorf("copy %q, %v", backup, err)
	}
}

func TestWhatIsNotPlainIsLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"comments":     "{\n  // mine\n  \"mcpServers\": {}\n}",
		"a last comma": "{\"mcpServers\": {},}",
		"broken":       "{\"mcpServers\": {",
		"a list":       "[]",
		"two values":   "{} {}",
		"another kind": "{\"mcpServers\": []}",
	} {
		path := filepath.Join(t.TempDir(), "mcp.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := clients.Look(path, snippet); got != clients.NotPlain {
			t.Errorf("%s: %d", name, got)
		}
		if _, err := clients.Write(path, snippet); !errors.Is(err, clients.ErrNotPlain) {
			t.Errorf("%s: got %v", name, err)
		}
		all, err := os.ReadDir(filepath.Dir(path))
		if now, _ := os.ReadFile(path); err != nil || string(now) != text || len(all) != 1 {
			t.Errorf("%s: the file is now %q, beside %d others", name, now, len(all)-1)
		}
	}
}

func TestALinkedFileStaysWhereItIs(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dotfiles.json"), filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(real, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if _, err := clients.Write(link, snippet); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || clients.Look(real, snippet) != clients.Same {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
}

func TestElementsAreAddedOnce(t *testing.T) {
	with := `{"servers": {"easel": {}}, "inputs": [{"id": "easel"}]}`
	out, err := clients.Merge([]byte(`{"inputs": [{"id": "key"}]}`), with)
	if err != nil {
		t.Fatal(err)
	}
	again, err := clients.Merge(out, with)
	if err != nil || string(again) != string(out) || strings.Count(string(out), `"id"`) != 2 {
		t.Errorf("got %s then %s, %v", out, again, err)
	}
}

func TestFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	if runtime.GOOS != "linux" {
		return // the places below are Linux's
	}
	cline := filepath.Join(".config", "VSCodium", "User", "globalStorage", "saoudrizwan.claude-dev", "settings")
	if err := os.MkdirAll(filepath.Join(home, cline), 0o700); err != nil {
		t.Fatal(err)
	}
	for client, want := range map[string]string{
		"Cline": filepath.Join("~", cline, "cline_mcp_settings.json"), "Cursor": "~/.cursor/mcp.json", "VS Code": "~/.config/Code/User/mcp.json", "none": "",
	} {
		if got := clients.Tilde(clients.File(client)); got != want {
			t.Errorf("%s: got %q, want %q", client, got, want)
		}
	}
}
