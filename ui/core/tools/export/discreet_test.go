package export_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"easel/internal/mask"
	"easel/internal/require"
	"easel/ui/core/command"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/tools/export"
)

// Exports are for others: no secret is in them, wherever it is in the library, unless the user wants that.
func TestExportsHideSecrets(t *testing.T) {
	const secret, known = "q7zx-9431-kk0p", "[masked: DB_PASSWORD]"
	m := mask.New()
	m.Know([]mask.Secret{{Name: "DB_PASSWORD", Value: secret}})
	open := false
	x := exports(t, func(d *export.Deps) {
		d.Mask = func(string) *mask.Mask {
			if open {
				return nil
			}
			return m
		}
		d.Values = func(context.Context, library.Image) ([]byte, bool) { return []byte("a,b\n1," + secret + "\n"), false }
	})
	id, _ := x.add(1, "about "+secret, "connect('"+secret+"')")
	figure := x.addFigure("plotly", "figure", library.Form{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[{"name":"` + secret + `"}],"layout":{}}`)})
	coretest.Mark(t, x.lib.Annotations, func(m *library.Marks) error { return m.SetNote("note " + secret) }, id)
	for _, open = range []bool{false, true} {
		dir := t.TempDir()
		for kind, name := range map[command.ExportKind]string{command.ExportHTML: "a.html", command.ExportFolder: "folder", command.ExportNotebook: "a.ipynb"} {
			ids := []string{id, figure.ImageID}
			if kind == command.ExportNotebook {
				ids = ids[:1]
			}
			_, err := command.Export.Ask(t.Context(), x.bus, command.ExportIn{Kind: kind, IDs: ids, To: filepath.Join(dir, name), Title: "T", Code: true, Notes: true, Interactive: true})
			require.NoError(t, err)
		}
		_, err := command.ExportImages.Ask(t.Context(), x.bus, command.ExportImagesIn{IDs: []string{id}, To: filepath.Join(dir, "a.png"), WithCode: true})
		require.NoError(t, err)
		hidden, shown := 0, 0
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte(secret)) {
				shown++
			}
			if bytes.Contains(data, []byte(known)) {
				hidden++
			}
			return err
		}))
		if want := 6; !open && (hidden < want || shown > 0) || open && (hidden > 0 || shown < want) {
			t.Errorf("open %v: %d files have the mark, %d the secret", open, hidden, shown)
		}
	}
}
