// Package e2e tests Easel from outside: the real binary, with its own data directory and a
// real Jupyter server, used as users and clients use it. The Go tests cover the process, REST
// and the window. The tests in e2e/python use MCP through the official SDK.
//
// The tests need EASEL_TEST_BINARY (the binary) and EASEL_TEST_PYTHON (an interpreter that has
// Jupyter), which make test sets. Without them, they are skipped. Tests whose names begin with
// TestWindow also need a display.
//
// # Goroutines
//
// Tests run one after the other. Before a test returns, all processes that it has started have
// ended, and their output was read.
package e2e
