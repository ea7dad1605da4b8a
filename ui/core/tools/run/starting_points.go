package run

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/servers"
)

// startingPoints returns the servers with the kernels that they can start. It asks all at once.
func (t *sessions) startingPoints(ctx context.Context) []catalog.StartingPoint {
	all, _ := t.kernels.Servers.Select("")
	all = slices.DeleteFunc(all, func(s *servers.Server) bool { return s.Local }) // no kernels start there
	points := make([]catalog.StartingPoint, len(all))
	var asked sync.WaitGroup
	for i, s := range all {
		asked.Go(func() { points[i] = t.startingPoint(ctx, s) })
	}
	asked.Wait()
	return points
}

func (t *sessions) startingPoint(ctx context.Context, s *servers.Server) catalog.StartingPoint {
	p := catalog.StartingPoint{Server: s.Name}
	client, err := s.Now()
	if waits, ok := errors.AsType[*servers.NotReadyError](err); ok {
		p.State = waits.Health.State
		return p
	}
	if !client.Elsewhere() {
		p.Directory = client.Root()
	}
	specs, err := client.KernelSpecs(ctx)
	if err != nil {
		p.State = servers.StateUnreachable
	}
	for _, name := range slices.Sorted(maps.Keys(specs.Specs)) {
		k := specs.Specs[name]
		p.Kernels = append(p.Kernels, catalog.KernelKind{Name: name, Language: k.Language, Program: t.program(s, k.Program)})
	}
	return p
}

// program returns the interpreter of a kernelspec. Jupyter replaces a mere "python" by the server's
// own, which is known for Easel's.
func (t *sessions) program(s *servers.Server, program string) string {
	if bare := program == "python" || program == "python3"; bare && s.Managed && t.python != nil {
		return cmp.Or(t.python(), program)
	}
	return program
}
