package system

import (
	"os/exec"
	"runtime"
	"testing"

	"easel/internal/require"
)

func TestShellQuote(t *testing.T) {
	if runtime.GOOS == "windows" {
		for text, want := range map[string]string{`C:\a\b`: `C:\a\b`, `C:\a b`: `"C:\a b"`, `C:\$(x)'s`: `'C:\$(x)''s'`} {
			if got := ShellQuote(text); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		return
	}
	for text, want := range map[string]string{
		"/home/ann/sales-2026": "/home/ann/sales-2026", "a b": "'a b'", "": "''", "it's": `'it'"'"'s'`,
		"$(touch owned)": "'$(touch owned)'", "a\nb": `$'a\012b'`, "x\u202egnp": `$'x\U0000202egnp'`, "~": "'~'", "売上": "'売上'",
	} {
		if got := ShellQuote(text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	shell, err := exec.LookPath("bash")
	require.NoError(t, err)
	for _, text := range []string{
		`"'"`, "<script>|`touch owned`;&!#*?[a]{b}\\", "\n\r\t\x1b[31m\x7f", "\u202e\u2066\u200b売上🎉", "$(x)${HOME}$'x'", `\`, "-n", "~", "'\n'\\", "\u00a0 \u3000",
	} {
		c := exec.CommandContext(t.Context(), shell, "-c", "printf '%s' "+ShellQuote(text))
		c.Env = []string{"LC_ALL=C.UTF-8"}
		c.Dir = t.TempDir()
		if out, err := c.CombinedOutput(); err != nil || string(out) != text {
			t.Errorf("%s became %q, %v; want %q", ShellQuote(text), out, err, text)
		}
	}
}
