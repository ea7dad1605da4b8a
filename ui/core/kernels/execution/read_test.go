package execution

import (
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/ui/core/library"
	"easel/ui/core/library/disk"
	"easel/ui/core/library/output"
)

// TestNewerOutputEndsWhereItsCursorSays: text is on disk a moment before the execution has it. A
// client that reads then must not get it twice.
func TestNewerOutputEndsWhereItsCursorSays(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]ReadOptions{
		"as sent":         {Limit: modelStream},
		"on a terminal":   {Limit: modelStream, Final: true},
		"head and tail":   {Limit: 6},
		"of the terminal": {Limit: 6, Final: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			lib := &library.Library{Output: output.New(filepath.Join(dir, "output"), disk.Writer{Disk: disk.Real{}, Temp: dir})}
			x := New(lib, library.Execution{ID: "e1"})
			write := func(text string) {
				require.NoError(t, lib.Output.Append(t.Context(), x.ID(), output.Stdout, []byte(text)))
			}
			printed := func(text string) {
				x.Print(output.Stdout, 0)
				x.Write(output.Stdout, []byte(text))
			}
			q.After = newSnapshot(x, q).view().Next
			var got string
			for _, text := range []string{"one\n", "", "two\n", "six\n"} {
				write(text)
				v, err := x.Read(t.Context(), q)
				require.NoError(t, err)
				if v.Stdout != "" {
					t.Errorf("before the execution has %q, a client gets %q", text, v.Stdout)
				}
				printed(text)
				v, err = x.Read(t.Context(), q)
				require.NoError(t, err)
				got, q.After = got+v.Stdout, v.Next
			}
			if got != "one\ntwo\nsix\n" {
				t.Errorf("got %q", got)
			}
		})
	}
}
