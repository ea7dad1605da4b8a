package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/internal/tokens"
	"easel/mcphost/catalog"
)

// given are values that scripts/dist computes. 64 zeros are a hash.
var given = []string{
	"SHA256_LINUX=" + strings.Repeat("0", 64), "SHA256_WINDOWS=" + strings.Repeat("0", 64), "SHA256_DARWIN=" + strings.Repeat("0", 64),
	"SHA256_MACOS=" + strings.Repeat("0", 64), "SHA256_AMD64=" + strings.Repeat("0", 64), "SHA256_ARM64=" + strings.Repeat("0", 64),
	"COMMIT=" + strings.Repeat("0", 40), "KEY= key", "PROGRAM=easel", "PLATFORM=linux", "WINDOW=It has none.", "WINDOW_JA=なし。",
}

// TestTemplates fills each template of packaging/.
func TestTemplates(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("VERSION", "1.2.3")
	filled := 0
	err := filepath.WalkDir("packaging", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, filepath.Join("packaging", "gen")) {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if !placeholder.Match(text) || strings.HasSuffix(path, ".plist") { // scripts/macos fills that
			return nil
		}
		filled++
		data, err := fillFile(path, given)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if filepath.Ext(path) == ".json" && !json.Valid(data) {
			t.Errorf("%s is no JSON:\n%s", path, data)
		}
		return nil
	})
	require.NoError(t, err)
	if filled < 12 {
		t.Errorf("only %d templates were found", filled)
	}
}

// TestAddressesComeFromOneFile finds addresses that a new account would leave behind.
func TestAddressesComeFromOneFile(t *testing.T) {
	t.Chdir("../..")
	err := filepath.WalkDir("packaging", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || path == filepath.FromSlash(projectFile) {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if found := regexp.MustCompile(`(github\.com|ghcr\.io|github\.io)/(OWNER|easel)\b`).Find(text); found != nil && !strings.HasSuffix(path, "project.go") {
			t.Errorf("%s contains %s", path, found)
		}
		return nil
	})
	require.NoError(t, err)
}

// TestSkill compares the skill with the tools, and with what clients accept: a name like its directory, and a
// description of at most 1024 characters, which is in each conversation.
func TestSkill(t *testing.T) {
	text, err := os.ReadFile("../plugin/skills/easel/SKILL.md")
	require.NoError(t, err)
	m := regexp.MustCompile(`(?s)\A---\nname: easel\ndescription: ([^\n]+)\n---\n(.+)\z`).FindSubmatch(text)
	if m == nil {
		t.Fatal("its header is not name and description")
	}
	names := make(map[string]bool)
	for _, tool := range catalog.All() {
		names[tool.Spec().Name] = true
	}
	mentioned := regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`").FindAllSubmatch(m[2], -1)
	for _, name := range mentioned {
		if !names[string(name[1])] && string(name[1]) != "session_id" {
			t.Errorf("there is no tool %s", name[1])
		}
	}
	always, used := tokens.In(string(m[1])), tokens.In(string(m[2]))
	t.Logf("about %d tokens in each conversation, %d when it is used; %d tools", always, used, len(mentioned))
	if len(m[1]) > 1024 || always > 120 || used > 1200 || len(mentioned) < 10 {
		t.Errorf("%d and %d tokens, %d tools", always, used, len(mentioned))
	}
}
