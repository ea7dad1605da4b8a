package managed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ErrOthers means that packages cannot be added because they need other versions of Easel's own.
var ErrOthers = errors.New("these packages do not fit to those of Easel's environment")

// Add installs packages in Easel's environment, for all its kernels, and tells what pip says.
// The versions of Easel's own packages stay, so Jupyter keeps working. A new version of Easel
// carries the packages over to its environment.
func Add(ctx context.Context, dataDir string, packages []string, tell func(line string)) error {
	d := newLayout(dataDir)
	py, err := ask(ctx, d.python())
	if err != nil || d.worth() == 0 {
		return ErrNoEnvironment
	}
	own, err := os.CreateTemp(d.root, "own-*.txt")
	if err != nil {
		return explain(err, "")
	}
	defer func() { _ = os.Remove(own.Name()) }()
	for _, p := range locked().pieces(py, first, rest) {
		if _, err = fmt.Fprintf(own, "%s==%s\n", p.name, p.version); err != nil {
			break
		}
	}
	if err = errors.Join(err, own.Close()); err != nil {
		return explain(err, "")
	}
	var said strings.Builder
	err = command{
		argv: append([]string{d.python(), "-m", "pip", "install", "--no-input", "--constraint", own.Name(), "--"}, packages...),
		dir:  d.root,
		line: func(text string) {
			said.WriteString(text)
			tell(redact(text))
		},
	}.run(ctx)
	if err != nil && strings.Contains(said.String(), "ResolutionImpossible") {
		return ErrOthers
	}
	return err
}
