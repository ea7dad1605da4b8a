//go:build unix

package tunnel

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

// shells are the POSIX shells in which the script is tested, if they are installed.
var shells = [][]string{{"sh"}, {"dash"}, {"bash", "--posix"}, {"busybox", "sh"}, {"zsh", "--emulate", "sh"}, {"ksh"}}

func TestListInEachShell(t *testing.T) {
	home := filepath.Join(t.TempDir(), "it's home")
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	process := func(name string) int {
		cmd := exec.CommandContext(t.Context(), sleep, "1000")
		cmd.Args[0] = name
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	minute := 0
	write := func(dir, name string, pid, port int, mode os.FileMode) {
		path := filepath.Join(home, dir, name)
		text := fmt.Sprintf("{\n  \"pid\": %d,\n  \"port\": %d,\n  \"hostname\": \"127.0.0.1\",\n  \"base_url\": \"/\",\n  \"token\": \"t\"\n}", pid, port)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		require.NoError(t, os.Chmod(path, mode))
		minute++
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)))
	}
	server, other, classic, easels := process("jupyter-lab"), process("vi"), process("jupyter-notebook"), process("python3")
	usual := ".local/share/jupyter/runtime"
	write(usual, fmt.Sprintf("jpserver-%d.json", server), server, 1111, 0o600)
	write(".local/share/easel/jupyter/runtime", fmt.Sprintf("jpserver-%d.json", easels), easels, 2222, 0o600)
	write(usual, fmt.Sprintf("nbserver-%d.json", classic), classic, 3333, 0o600)
	write(usual, fmt.Sprintf("jpserver-%d.json", other), other, 4444, 0o600)          // the process id was reused
	write(usual, fmt.Sprintf("jpserver-%d.json", 1<<22+1), 1<<22+1, 5555, 0o600)      // it is dead
	write(usual, fmt.Sprintf("jpserver-%d.json", process("python3")), 1, 6666, 0o666) // others can write
	write("elsewhere", fmt.Sprintf("jpserver-%d.json", server), server, 7777, 0o600)
	require.NoError(t, os.Symlink(filepath.Join(home, "elsewhere", fmt.Sprintf("jpserver-%d.json", server)), filepath.Join(home, usual, "jpserver-1.json")))
	for _, shell := range shells {
		if _, err := exec.LookPath(shell[0]); err != nil {
			continue
		}
		t.Run(shell[0], func(t *testing.T) {
			for dir, want := range map[string]string{"": "3333 2222 1111", filepath.Join(home, "elsewhere"): "7777", "/none": ""} {
				tunnel := New(Config{Address: Address{Host: "gpu", RuntimeDir: dir}})
				cmd := exec.CommandContext(t.Context(), shell[0], append(shell[1:], "-c", tunnel.script)...)
				cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
				cmd.Stdin = strings.NewReader("list 1\nping 2\n")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				head, rest, ok := strings.Cut(string(out), "end list 1\n")
				if !ok || !strings.HasPrefix(head, "begin list 1\n") || rest != "begin ping 2\nend ping 2\n" {
					t.Errorf("got\n%s", out)
				}
				var ports []string
				for _, f := range parseList(strings.Split(head, "\n")) {
					ports = append(ports, fmt.Sprint(f.port))
				}
				if got := strings.Join(ports, " "); got != want {
					t.Errorf("%s: got %q, want %q\n%s", dir, got, want, out)
				}
			}
		})
	}
}
