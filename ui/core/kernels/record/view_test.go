package record

import (
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/ui/core/library"
)

// TestAnRSessionSaysItsVersion checks that it also says whether renv keeps its packages, if that is known.
func TestAnRSessionSaysItsVersion(t *testing.T) {
	t.Parallel()
	r, with, without := jupyter.KernelInfo{Language: "R", LanguageVersion: "4.2.2"}, t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(with, "renv"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(with, "renv", "activate.R"), nil, 0o600))
	for _, c := range []struct {
		info jupyter.KernelInfo
		of   library.Session
		want string
	}{
		{r, library.Session{Directory: with}, "R 4.2.2, renv"},
		{r, library.Session{Directory: without}, "R 4.2.2, no renv"},
		{r, library.Session{}, "R 4.2.2"},
		{r, library.Session{Directory: with, Project: "ssh://gpu/trees"}, "R 4.2.2"},
		{jupyter.KernelInfo{Language: "python", LanguageVersion: "3.12.1"}, library.Session{Directory: with}, ""},
	} {
		v := SessionView{Session: c.of, R: ofR(c.info, c.of)}
		if got := v.Catalog(0).Environment; got != c.want {
			t.Errorf("%+v: got %q, want %q", c.of, got, c.want)
		}
	}
}
