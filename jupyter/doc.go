// Package jupyter is a client of Jupyter servers and of the kernels they run:
// sessions, kernels and files over REST ([Server]), and a kernel's messages over
// its websocket ([Kernel]). It handles what happens in practice: replies before
// outputs, messages without a parent, connections that die without a sign, and
// kernels that others restart or delete.
//
// It speaks to jupyter-server, JupyterHub's single-user servers, and Kernel and
// Enterprise Gateway. A token is sent as "Authorization: token X", which all of
// them take, and never stands in a URL, an error or a log line
// ([Server.BrowserURL], for the user's own browser, is the exception).
//
// # Goroutines
//
// A [Server] has none: its methods run on their caller's goroutine and may be
// called from any. A [Kernel] has three from Follow to the end, which Close
// brings about and waits for: one reads (and connects again), one writes, one
// asks the server now and then whether the kernel is still there. Where the
// kernel's own sockets are used there are five more: one reads each of the
// three, one writes, one connects them again. The readers wait for nobody: what
// they read is queued for Next. Methods of Kernel may be called from any
// goroutine; Next is for one.
package jupyter
