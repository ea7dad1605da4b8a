package risk

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"easel/internal/require"
)

// TestAFolder checks what the disk tells: which files are new, where links lead, and what the folder's own modules do.
func TestAFolder(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "out"), 0o700))
	link := "../" + filepath.Base(elsewhere)
	if runtime.GOOS != "windows" { // Wine does not follow links
		link = "link"
		require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, link)))
	}
	for name, text := range map[string]string{
		"old.csv": "a", "helpers.py": "import os\ndef wipe(p):\n    os.remove(p)\ndef mean(x):\n    return sum(x) / len(x)\n", "loud.py": "import os\nos.remove('a')\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for code, want := range map[string]string{
		"df.to_csv('new.csv')": "", "df.to_csv('out/new.csv')": "", "df.to_csv('old.csv')": "files", "df.to_csv('" + link + "/new.csv')": "files",
		"df.to_csv('../new.csv')": "files", "df.to_csv('" + filepath.ToSlash(filepath.Join(dir, "new.csv")) + "')": "", "df.to_csv('" + filepath.ToSlash(filepath.Join(elsewhere, "new.csv")) + "')": "files",
		"import helpers\nhelpers.mean(x)": "", "import helpers as h\nh.wipe('old.csv')": "files", "from helpers import wipe\nwipe('old.csv')": "files",
		"from helpers import mean\nmean(x)": "", "import loud": "unseen", "import missing": "unseen",
	} {
		risks := NewReader("python", dir, true).Risks(code)
		if got := len(risks) > 0; got != (want != "") || got && risks[0].Kind != want {
			t.Errorf("%q: %+v, want %q", code, risks, want)
		}
	}
	if risks := NewReader("python", "", true).Risks("df.to_csv('new.csv')"); len(risks) != 1 {
		t.Errorf("on another machine: %+v", risks)
	}
}

// TestLanguages checks that code in a language that Easel cannot read is asked about.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]int{"python": 0, "": 0, "R": 0, "julia": 1} {
		if risks := NewReader(language, "", true).Risks("x = 1"); len(risks) != want {
			t.Errorf("%s: %+v", language, risks)
		}
	}
	if LanguageOf("ir") != "R" || LanguageOf("python3") != "python" {
		t.Error("the languages of kernelspecs")
	}
}

// TestTheDemoAsksNothing checks that a new user's first look is not interrupted by a question.
func TestTheDemoAsksNothing(t *testing.T) {
	t.Parallel()
	cells, err := filepath.Glob("../../../mcphost/demo/cells/*.py")
	require.NoError(t, err)
	if len(cells) < 4 {
		t.Fatalf("found %d cells", len(cells))
	}
	r := NewReader("python", t.TempDir(), true)
	for _, path := range cells {
		code, err := os.ReadFile(path)
		require.NoError(t, err)
		if risks := r.Risks(string(code)); len(risks) > 0 {
			t.Errorf("%s: %+v", filepath.Base(path), risks)
		}
		r.Learn(string(code), false)
	}
}
