package i18n

import (
	"strings"
	"testing"

	"easel/mcphost/catalog"
)

func TestFailure(t *testing.T) {
	for name, c := range map[string]struct {
		status string
		e      catalog.ExecutionError
		en, ja string
	}{
		"a traceback":      {catalog.StatusError, catalog.ExecutionError{Type: "E", Message: "m", Traceback: "Traceback\nE: m"}, "Traceback\nE: m", "Traceback\nE: m"},
		"an exception":     {catalog.StatusError, catalog.ExecutionError{Type: "E", Message: "m"}, "E: m", "E: m"},
		"without a type":   {catalog.StatusTimeout, catalog.ExecutionError{Message: "It ran for long."}, "timed out: It ran for long.", "タイムアウト：It ran for long."},
		"a kernel's death": {catalog.StatusKernelDied, catalog.ExecutionError{Code: catalog.CodeKernelDied, Message: catalog.MessageDied}, catalog.MessageDied, "カーネルが異常終了しました。それまでの出力とプロットは残っています。"},
	} {
		if got := New("en").Failure(c.status, c.e); got != c.en {
			t.Errorf("%s: %q, want %q", name, got, c.en)
		}
		if got := New("ja").Failure(c.status, c.e); got != c.ja {
			t.Errorf("%s: %q, want %q", name, got, c.ja)
		}
	}
	for _, d := range allDeaths {
		e := catalog.ExecutionError{Code: catalog.CodeKernelDied, Message: d.Explain(catalog.MessageDiedRestarted)}
		if got := New("en").Failure(catalog.StatusKernelDied, e); got != e.Message {
			t.Errorf("the texts differ: %q, %q", got, e.Message)
		}
		got, words, _ := strings.Cut(New("ja").Failure(catalog.StatusKernelDied, e), "\n")
		if strings.Contains(got, "It ") || strings.Contains(got, "%!") || !strings.Contains(got, "。") || words != d.Words {
			t.Errorf("%q in Japanese: %q, %q", e.Message, got, words)
		}
	}
	for message := range endings {
		e := catalog.ExecutionError{Code: catalog.CodeKernelDied, Message: message}
		if got := New("en").Failure(catalog.StatusKernelDied, e); got != message {
			t.Errorf("the texts differ: %q, %q", got, message)
		}
		if got := New("ja").Failure(catalog.StatusKernelDied, e); strings.Contains(got, "kernel") || !strings.HasSuffix(got, "。") {
			t.Errorf("%q in Japanese: %q", message, got)
		}
	}
}

var allDeaths = []catalog.Death{
	{Code: -9, Signal: "SIGKILL", OutOfMemory: true, Memory: 14.2e9, Total: 16e9, Words: "a\nb"},
	{Code: -9, Signal: "SIGKILL", OutOfMemory: true},
	{Code: -9, Signal: "SIGKILL", Memory: 1e9, Total: 16e9},
	{Code: -9, Signal: "SIGKILL"},
	{Code: -11, Signal: "SIGSEGV", Memory: 1e9, Total: 16e9, Words: "Fatal Python error: Segmentation fault"},
	{Code: -40, Signal: "40"},
	{Code: 3},
	{},
}
