package backup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
)

// someLibrary has three plots of one session, one of them rated.
func someLibrary(t *testing.T) *library.Library {
	t.Helper()
	l := coretest.NewLibrary(t)
	l.AddSession(0, "analysis", "claude-code 2.1.0")
	for _, title := range []string{"Sine", "Cosine", "売上"} {
		l.Rate(4, l.Add(0, title, "plot()"))
	}
	return l.Library
}

func TestALibraryIsExportedAndImported(t *testing.T) {
	l, path := someLibrary(t), filepath.Join(t.TempDir(), "backup.zip")
	text, err := Export(t.Context(), l, path, "1.0", nil)
	if err != nil || !strings.HasPrefix(text, "Exported 3 plots, 3 executions, 1 session, 3 plots with stars, tags or a note to "+path) {
		t.Fatalf("%q, %v", text, err)
	}
	if _, err := Export(t.Context(), l, path, "1.0", nil); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("a second one: %v", err)
	}
	if _, err := Export(t.Context(), l, filepath.Join(l.Dir(), "images", "x.zip"), "1.0", nil); err == nil || !strings.Contains(err.Error(), "in the library itself") {
		t.Errorf("into the library: %v", err)
	}
	other := coretest.Open(t)
	if text, err = Import(t.Context(), other, path, nil); err != nil || text != "Imported 3 plots, 3 executions, 1 session, 3 plots with stars, tags or a note from "+path+"." {
		t.Errorf("%q, %v", text, err)
	}
	if text, err = Import(t.Context(), other, path, nil); err != nil || !strings.HasPrefix(text, "Imported nothing from "+path+". Already here, or newer here: 3 plots,") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestAnExportThatIsCancelledLeavesNoFile(t *testing.T) {
	l, dir := someLibrary(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Export(ctx, l, filepath.Join(dir, "a.zip"), "1.0", func(int64, int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestWhatCannotBeImportedIsNamed(t *testing.T) {
	l, dir := someLibrary(t), t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(text, []byte("notes"), 0o600))
	for path, want := range map[string]string{
		text: "was not imported, and nothing was changed: not a whole export of a library: it is no ZIP file", dir: "is not a file",
		filepath.Join(dir, "none.zip"): "none.zip: ",
	} {
		if _, err := Import(t.Context(), l, path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		} else if strings.HasSuffix(path, "none.zip") && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v is another error", path, err)
		}
	}
}
