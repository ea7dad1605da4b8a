package managed

import (
	"context"

	"easel/jupyter/overlay"
)

// Overlays returns what prepares other environments for kernels. It takes ipykernel from
// the environment in the data directory, and uses the same uv and settings.
func Overlays(cfg Config) *overlay.Maker {
	j := New(cfg)
	return &overlay.Maker{
		Dir: j.dir.file("overlays"), OwnUV: j.dir.ownUV(), Log: j.cfg.Log,
		Easel: func() string {
			d := newLayout(cfg.DataDir)
			if s, err := d.readStamp(); err != nil || s.Path != d.env {
				return ""
			}
			return d.python()
		},
		UV: func(ctx context.Context) (uv string, environ []string, err error) {
			i := &installation{Jupyter: New(cfg), tell: func(Progress) {}}
			py, noPython := ask(ctx, i.dir.python())
			i.py = py // its pip has settings
			if uv, err = i.haveUV(ctx); err == nil && uv == "" {
				if noPython != nil {
					return "", nil, noPython
				}
				uv, err = i.fetchUV(ctx, py)
			}
			return uv, i.uvEnv(ctx), err
		},
	}
}
