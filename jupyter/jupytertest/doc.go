// Package jupytertest helps to test against Jupyter.
//
// [Start] runs a real jupyter-server in a process and directories of its own; a
// [Proxy] in front of it loses connections as networks do. What a real server
// does is what counts, but the orderings that hurt cannot be had from it on
// demand. For those, [NewServer] makes a fake one whose kernels do what a test
// tells them:
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
// Everything belongs to the test it was made for and ends with it.
//
// # What a fake kernel does by itself
//
// It answers kernel_info on shell (in its turn, behind what runs) and on control
// (at once), makes, lists and deletes subshells, keeps for a lost client what the
// real server would keep, and runs requests one after another on its script. An
// execute_request that is silent and has expressions goes to OnEvaluate instead.
// Without a script it does nothing with code, in the usual order: busy, input,
// reply, idle.
//
// # What befalls it
//
// [Kernel.Restart], [Kernel.Die], [Kernel.Delete], [Kernel.Drop],
// [Kernel.Freeze], [Kernel.Swallow], [Server.Down] and [Server.Intercept] are the
// accidents, each as measured with the real server.
//
// # Goroutines
//
// A fake kernel has one goroutine for its main shell, one for each request in a
// subshell, and two for each websocket; they end with the test. Scripts run on
// the shell's. All methods may be called from any goroutine.
package jupytertest
