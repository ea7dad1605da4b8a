package core

import (
	"context"
	"os"

	"easel/ui/core/secrets"
)

// newSecrets returns what knows the secrets that clients do not get.
func (c *Core) newSecrets() *secrets.Source {
	s := secrets.New(secrets.Config{
		Mask: c.cfg.Mask, Store: c.Store, WorkDir: c.rootDir(), Environ: os.Environ(), Server: c.projects.Root,
		Ended: func(session string) string {
			s, err := c.Library.Sessions.Get(context.Background(), session) // reads one row
			if err != nil {
				return ""
			}
			return s.Project
		},
	})
	c.inputs.Typed = s.Typed
	return s
}
