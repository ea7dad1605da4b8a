package folders

import (
	"context"
	"errors"
	"strings"

	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// InFolder reports whether the gallery shows a folder on disk.
func InFolder(s *state.Snapshot) bool { return s.Folder.Kind == state.Directory }

// SaveSidecars writes the stars and tags of the open folder's pictures beside them.
func (c *Control) SaveSidecars() {
	percent := 0
	var cancel func()
	work := c.port.Work(func(k *kit.Kit) string { return k.T("folders.saving_sidecars", percent) }, func() { cancel() })
	in := command.SaveSidecarsIn{Progress: func(done, total int) {
		c.port.Requests.Post(func() {
			if now := done * 100 / max(total, 1); now != percent {
				percent = now
				work.Say()
			}
		})
	}}
	cancel = requests.Quiet(c.port.Requests, command.SaveSidecars, in, func(out command.SaveSidecarsOut, err error) {
		work.End()
		k := c.port.Kit()
		switch {
		case errors.Is(err, context.Canceled):
			c.port.Say(kit.MarkIdle, k.T("folders.sidecars_cancelled"))
		case err != nil:
			c.port.Say(kit.MarkBad, tool.Explain(tool.AsError(err)))
		case len(out.Failed) > 0:
			c.port.Say(kit.MarkBad, k.T("folders.sidecars_failed", len(out.Failed), out.Reason))
		default:
			text := k.Tr.N("folders.sidecars_saved", out.Written)
			if out.Same > 0 {
				text += " " + k.Tr.N("folders.sidecars_same", out.Same)
			}
			if n := len(out.Foreign); n > 0 {
				text += " " + k.Tr.N("folders.sidecars_foreign", n, strings.Join(out.Foreign[:min(n, 2)], ", "))
			}
			c.port.Say(kit.MarkCheck, text)
		}
	})
}
