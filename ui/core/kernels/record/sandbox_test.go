//go:build !windows

package record

import (
	"strings"
	"testing"

	"easel/jupyter/sandbox"
	"easel/mcphost/catalog"
)

func TestAdviceInASandbox(t *testing.T) {
	t.Parallel()
	closed := &sandbox.Start{Policy: sandbox.Policy{Root: "/home/ada/p", Home: "/x/home", Read: []string{"/data"}}, Temp: "/x/tmp"}
	open := &sandbox.Start{Policy: sandbox.Policy{Root: "/home/ada/p", Home: "/x/home", Network: true}, Temp: "/x/tmp"}
	for _, c := range []struct {
		box                             *sandbox.Start
		kind, message, traceback, wants string // wants "" is none
	}{
		{closed, "PermissionError", "[Errno 13] Permission denied: '/home/ada/.ssh/id'", "", "/home/ada/.ssh/id is outside of the folders that its kernels may use"},
		{closed, "PermissionError", "[Errno 13] Permission denied: '/home/ada/p/locked.csv'", "", ""},
		{closed, "PermissionError", "[Errno 13] Permission denied: 'locked.csv'", "", ""},
		{closed, "OSError", "[Errno 30] Read-only file system: '/data/x'", "", "may read /data/x, but not change it"},
		{closed, "FileNotFoundError", "[Errno 2] No such file or directory: '/data/none.csv'", "", ""},
		{closed, "FileNotFoundError", "[Errno 2] No such file or directory: '/home/ada/other.csv'", "", "the project's sandbox hides it"},
		{closed, "FileNotFoundError", "[Errno 2] No such file or directory: 'other.csv'", "", "working directory"},
		{closed, "OSError", "[Errno 18] Invalid cross-device link: '/home/ada/p/a' -> '/home/ada/b'", "", "/home/ada/b is outside"},
		{closed, "PermissionError", "[Errno 13] Permission denied", "File socket.py, in socket.__init__", "blocks the network"},
		{closed, "PermissionError", "[Errno 13] Permission denied", "multiprocessing/connection.py in SocketClient: socket", `get_context("fork")`},
		{closed, "gaierror", "[Errno -3] Temporary failure in name resolution", "", "blocks the network"},
		{closed, "ConnectionError", "HTTPSConnectionPool(host='x', port=443): Max retries exceeded with url: /", "", "blocks the network"},
		{open, "gaierror", "[Errno -3] Temporary failure in name resolution", "", ""},
		{open, "ConnectionRefusedError", "[Errno 111] Connection refused", "", ""},
		{closed, "ValueError", "wrong", "", ""},
		{nil, "PermissionError", "[Errno 13] Permission denied: '/home/ada/.ssh/id'", "", ""},
		{nil, "gaierror", "[Errno -3] Temporary failure in name resolution", "", ""},
	} {
		got := failedRun{
			Error:    &catalog.ExecutionError{Code: catalog.CodeExecution, Type: c.kind, Message: c.message, Traceback: c.traceback},
			language: "python", folder: func() string { return "/home/ada/p" }, sandbox: c.box,
		}.advice()
		if (got == "") != (c.wants == "") || !strings.Contains(got, c.wants) {
			t.Errorf("%s: %q, want %q", c.message, got, c.wants)
		}
		if strings.Contains(got, "sandbox") && got != adviseForks && !strings.Contains(got, "Sandbox, in the project's menu") {
			t.Errorf("%s: %q does not say how to allow it", c.message, got)
		}
	}
}

// TestAnInstallerWithoutANetwork checks what is told of programs that reach nothing.
func TestAnInstallerWithoutANetwork(t *testing.T) {
	t.Parallel()
	const uv = "error: Failed to fetch: https://example.org/six\n  cause: dns error\n  cause: failed to lookup address information: Temporary failure in name\n         resolution"
	pip := "NewConnectionError('…: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')"
	for name, c := range map[string]struct {
		failure *catalog.ExecutionError
		said    string
		want    bool
	}{
		"!pip": {nil, pip, true}, "!uv": {nil, uv, true}, "%pip": {&catalog.ExecutionError{Type: "InstallError"}, pip, true},
		"other code": {&catalog.ExecutionError{Type: "KeyError"}, pip, false}, "no such package": {&catalog.ExecutionError{Type: "InstallError"}, "No matching distribution", false},
	} {
		if got := unreachable(c.failure, c.said); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
