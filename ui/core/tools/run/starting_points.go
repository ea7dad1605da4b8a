package run

import (
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
		asked.Go(func() { points[i] = startingPoint(ctx, s) })
	}
	asked.Wait()
	return points
}

func startingPoint(ctx context.Context, s *servers.Server) catalog.StartingPoint {
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
		p.Kernels = append(p.Kernels, catalog.KernelKind{Name: name, Language: k.Language, Program: k.Program})
	}
	return p
}
