package projects

import (
	"context"
	"maps"
	"slices"
	"strings"

	"easel/jupyter/managed"
	"easel/jupyter/project"
)

// isR reports whether a project is one of R: it has a file of renv or RStudio, and neither a Python
// environment of its own nor a file that one is made from, and the user has chosen none: chosen is "".
func isR(ctx context.Context, pr project.Project, found []project.Environment, chosen string) bool {
	own := func(e project.Environment) bool { return below(pr.Root, e.Prefix) }
	if chosen != "" || slices.ContainsFunc(found, own) || !project.IsR(pr.Root) {
		return false
	}
	_, python := project.Missing(ctx, pr)
	return !python
}

// placeR makes a place that of an R kernel, and reports whether it is one. The kernel starts in
// the project's folder, as in RStudio: R reads the .Rprofile there, which activates renv.
func placeR(ctx context.Context, o *openProject, place *Place, kernel string) bool {
	server := o.host.Server()
	if server == nil {
		return false
	}
	specs, err := server.KernelSpecs(ctx)
	if err != nil {
		return false // the start of the kernel says why
	}
	r := func(name string) bool { return strings.EqualFold(specs.Specs[name].Language, "R") }
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(specs.Specs)), func(name string) bool { return !r(name) })
	switch {
	case kernel != pythonKernel && r(kernel):
	case kernel != pythonKernel:
		return false
	case len(names) == 0:
		place.Kernel = managed.EaselKernel
		place.Hint = "This is a project of R, but this computer has no R kernel. So this is Easel's own Python, in the project's folder. " +
			"In R, install.packages(\"IRkernel\") and IRkernel::installspec() install one; then create another session."
		return true
	default:
		place.Kernel = names[0]
		place.Hint = "This is a project of R, so the kernel is R's. With name \"easel\", it is Easel's own Python."
	}
	place.Directory = ""
	return true
}
