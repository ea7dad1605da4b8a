// Package jupyter is a client for Jupyter servers and the kernels that they run. A
// [Server] provides sessions, kernels and files over REST. A [Kernel] provides a
// kernel's messages over its websocket. The package handles what happens in practice:
// replies before outputs, messages without a parent, connections that die silently, and
// kernels that others restart or delete.
//
// It supports jupyter-server, JupyterHub's single-user servers, and Kernel and
// Enterprise Gateway. It sends a token as "Authorization: token X", which all of them
// accept. The token never appears in a URL, an error or a log line. The exception is
// [Server.BrowserURL], which is for the user's browser.
//
// # Goroutines
//
// A [Server] has none: its methods run on their caller's goroutine and may be called
// from any. A [Kernel] has three goroutines from Follow until Close, which stops them
// and waits for them: one reads and reconnects, one writes, and one periodically asks
// the server whether the kernel still exists; another does that while Follow waits for the
// first answer. If the kernel's own sockets are used,
// there are five more: one reader for each of the three sockets, one writer, and one
// that reconnects them. The readers wait for nobody: they queue what they read for Next.
// Methods of Kernel may be called from any goroutine, but Next only from one at a time.
package jupyter
