// Package jupytertest helps to test against Jupyter.
//
// [Start] runs a real jupyter-server in its own process and directories. A [Proxy] in
// front of it loses connections as networks do. The behaviour of a real server is what
// counts, but it does not produce difficult orderings on demand. For those, [NewServer]
// starts a fake server whose kernels follow a test's script:
//
//	server := jupytertest.NewServer(t)
//	kernel := server.AddKernel("python3")
//	kernel.OnExecute(func(x *jupytertest.Execution) {
//		x.Reply(wire.ReplyOK) // before anything else, as real ones do
//		x.Busy()
//		x.Input()
//		x.Stream("stdout", "hello\n")
//		x.Idle()
//	})
//	s, err := jupyter.New(server.URL, server.Token)
//
// Everything belongs to the test for which it was created and ends with it.
//
// # What a fake kernel does by itself
//
// It answers kernel_info on shell (in order, after running code) and on control
// (immediately). It creates, lists and deletes subshells, keeps for a lost client what
// the real server would keep, and runs requests one after another with its script. A
// silent execute_request with expressions goes to OnEvaluate instead. Without a script
// it does nothing with code and sends the usual messages: busy, input, reply, idle.
//
// # Failures
//
// [Kernel.SimulateRestart], [Kernel.Die], [Kernel.Delete], [Kernel.Drop], [Kernel.Freeze],
// [Kernel.Swallow], [Server.Down] and [Server.Intercept] cause failures, each as
// measured with the real server.
//
// # Goroutines
//
// A fake kernel has one goroutine for its main shell, one for each request in a
// subshell, and two for each websocket. They end with the test. Scripts run on the main
// shell's goroutine. All methods may be called from any goroutine.
package jupytertest
