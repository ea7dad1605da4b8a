package core

import (
	"context"

	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/logbook"
)

// writeLog answers command.WriteLog.
func (c *Core) writeLog(ctx context.Context, in command.WriteLogIn) (command.WriteLogOut, error) {
	o := logbook.Options{
		LogQuery: library.LogQuery{Session: in.Session}, Format: logbook.JSONL, Language: in.Language, Thumbnails: in.Thumbnails,
		Mask: c.cfg.Mask, Replace: true,
	}
	if in.Report {
		o.Format = logbook.Report
	}
	n, err := logbook.Save(ctx, in.To, logbook.Of(c.Library), o)
	return command.WriteLogOut{Entries: n.Entries, Masked: n.Masked}, err
}
