package local

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/connection"
)

// listen returns the ports of three sockets of this process, which accept connections and
// say nothing.
func listen(t *testing.T) map[string]any {
	t.Helper()
	file := map[string]any{"transport": "tcp", "ip": "127.0.0.1", "key": "k", "signature_scheme": "hmac-sha256", "stdin_port": 1, "hb_port": 1}
	for _, name := range []string{"shell_port", "iopub_port", "control_port"} {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		file[name] = l.Addr().(*net.TCPAddr).Port
	}
	return file
}

func with(file, change map[string]any) map[string]any {
	file = maps.Clone(file)
	maps.Copy(file, change)
	return file
}

func TestFilesThatAreOfNoUse(t *testing.T) {
	good := listen(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "mine.json"), good, 0o600)
	if found := finder(dir).Find(); len(found) != 1 {
		t.Fatalf("not even a good one: %v", found)
	}
	for name, change := range map[string]map[string]any{
		"a port that is no number":      {"shell_port": "1"},
		"a port out of range":           {"shell_port": 1 << 20},
		"a negative port":               {"iopub_port": -1},
		"a port on which nobody is":     {"control_port": 1},
		"a key that is a number":        {"key": 5},
		"a key that is huge":            {"key": strings.Repeat("k", 5000)},
		"another transport":             {"transport": "pgm"},
		"another machine":               {"ip": "192.0.2.1"},
		"a name instead of an address":  {"ip": "kernels.example"},
		"sockets that do not exist":     {"transport": "ipc", "ip": filepath.Join(dir, "none")},
		"sockets relative to who knows": {"transport": "ipc", "ip": "kernel-ipc"},
		"far too much":                  {"more": strings.Repeat("x", 1<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "kernel-1.json"), with(good, change), 0o600)
			if found := finder(dir).Find(); len(found) != 0 {
				t.Errorf("got %+v", found)
			}
		})
	}
	for name, make := range map[string]func(path string) error{
		"no JSON":        func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
		"JSON of a list": func(path string) error { return os.WriteFile(path, []byte("[1]"), 0o600) },
		"a directory":    func(path string) error { return os.Mkdir(path, 0o700) },
		"a pipe":         pipe,
		"of a link to nowhere": func(path string) error {
			return os.Symlink("/nowhere/at/all", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := make(filepath.Join(dir, "kernel-1.json")); err != nil {
				t.Skip(err)
			}
			if found := finder(dir).Find(); len(found) != 0 {
				t.Errorf("got %+v", found)
			}
		})
	}
	t.Run("of a server", func(t *testing.T) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "jpserver-1.json"), good, 0o600)
		if found := finder(dir).Find(); len(found) != 0 {
			t.Errorf("got %+v", found)
		}
	})
	t.Run("that others can write", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("the rights of a file are others there")
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "kernel-1.json")
		write(t, path, good, 0o600)
		require.NoError(t, os.Chmod(path, 0o660))
		if found := finder(dir).Find(); len(found) != 0 {
			t.Errorf("got %+v", found)
		}
		if os.Chmod(path, 0o600) == nil && os.Chown(path, 12345, -1) == nil && len(finder(dir).Find()) != 0 {
			t.Error("another user's counts")
		}
	})
	t.Run("with a name that leaves the kernelspecs", func(t *testing.T) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "kernel-1.json"), with(good, map[string]any{"kernel_name": "../../etc"}), 0o600)
		if found := finder(dir).Find(); len(found) != 1 || found[0].Spec.Name != "kernel" {
			t.Errorf("got %+v", found)
		}
	})
}

func TestKernelsThatCannotBeJoined(t *testing.T) {
	good := listen(t)
	for name, c := range map[string]struct {
		change map[string]any
		want   string
	}{
		"encrypted":        {map[string]any{"curve_publickey": "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"}, connection.ErrEncrypted.Error()},
		"signed otherwise": {map[string]any{"signature_scheme": "hmac-md5"}, connection.ErrSignature.Error()},
		"not a kernel":     {nil, "what listens at the kernel's ports is no kernel"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "kernel-1.json"), with(good, c.change), 0o600)
			s, g := newClient(t, finder(dir))
			g.tuning.answer = 50 * time.Millisecond
			list, err := s.Kernels(t.Context())
			if err != nil || len(list) != 1 {
				t.Fatalf("got %v, %v", list, err)
			}
			_, err = s.Follow(t.Context(), list[0].ID, jupyter.FollowOptions{})
			if e, ok := errors.AsType[*jupyter.StatusError](err); !ok || !strings.HasPrefix(e.Message, c.want) {
				t.Errorf("got %v", err)
			}
			if c.change != nil && !strings.HasPrefix(list[0].Process.Problem, c.want) {
				t.Errorf("the list says %q", list[0].Process.Problem)
			}
		})
	}
}

func TestTheKeyIsInNoText(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "kernel-1.json"), with(listen(t), map[string]any{"key": "secret"}), 0o600)
	found := finder(dir).Find()
	if len(found) != 1 {
		t.Fatalf("got %v", found)
	}
	for _, text := range texts(found[0]) {
		if strings.Contains(text, "secret") {
			t.Errorf("got %s", text)
		}
	}
}

func texts(k Kernel) []string {
	return []string{fmt.Sprint(k), fmt.Sprintf("%+v %#v", k, k), fmt.Sprintf("%v %+v %#v", k.conn, k.conn, &k.conn)}
}
