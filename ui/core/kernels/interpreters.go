package kernels

import (
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/record"
)

// Interpreters returns the programs that run the kernels of sessions on this machine, as absolute
// paths, each once. It returns nil on systems other than Linux.
func Interpreters(views []record.SessionView) []string {
	ids := make([]string, len(views))
	for i, v := range views {
		ids[i] = v.KernelID
	}
	return inspect.Interpreters(ids)
}
