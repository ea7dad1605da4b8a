// Package e2e tests Easel from outside: the real binary, with a data directory of
// its own and a real Jupyter, driven as users and clients drive it. Here are the
// process, the REST side and the window; e2e/python drives MCP by its official
// SDK.
//
// The tests want EASEL_TEST_BINARY (the binary) and EASEL_TEST_PYTHON (an
// interpreter that has Jupyter), which `make test` sets; without them they are
// skipped. Those whose names begin with TestWindow also want a display.
//
// # Goroutines
//
// Tests run one after the other. Each process that a test starts is ended, and
// its output read to the end, before the test returns.
package e2e
