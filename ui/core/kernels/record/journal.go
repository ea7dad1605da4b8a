package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	outputfile "easel/ui/core/library/output"
)

// A journal stores executions and their output, and notifies of them.
type journal struct {
	env *Environment
	log *slog.Logger
}

// storeLog stores the changes of the outputs of u.
func (j *journal) storeLog(u *queuedExecution) {
	lines, whole := u.x.Unsaved()
	if len(lines) == 0 && !whole {
		return
	}
	put := j.env.Library.Output.Append
	if whole {
		put = j.env.Library.Output.Replace
	}
	if err := put(j.keeping(), u.x.ID(), outputfile.Outputs, lines); err != nil {
		u.x.Truncate("outputs", 0, storageReason(err))
		j.log.Error("storing outputs", "err", err)
	}
}

// store writes text to the library, up to userStream bytes per stream, before it adds it to
// u. So the library always has what cursors refer to. Text beyond the limit is counted but
// not stored.
func (j *journal) store(u *queuedExecution, stream string, text []byte) {
	kept := text[:min(int64(len(text)), u.x.Room(stream))]
	if over := len(text) - len(kept); over > 0 {
		u.x.Truncate(stream, int64(over), "a stream is kept up to 64 MiB; the rest was dropped")
	}
	if len(kept) > 0 {
		if err := j.env.Library.Output.Append(j.keeping(), u.x.ID(), stream, kept); err != nil {
			u.x.Truncate(stream, int64(len(kept)), storageReason(err))
			j.log.Error("storing output", "err", err)
		}
	}
	u.x.Write(stream, text)
}

// keep stores the record of u in the library.
func (j *journal) keep(u *queuedExecution) {
	u.storedEnd = nil
	rec := u.x.Record()
	if err := j.env.Library.Executions.Put(j.keeping(), rec); err != nil {
		u.x.Truncate("history", 0, storageReason(err))
		j.log.Error("storing an execution", "execution", rec.ID, "err", err)
	}
}

// notify calls On.Execution with u as clients see it.
func (j *journal) notify(change catalog.ChangeName, u *queuedExecution) {
	if j.env.OnExecution == nil {
		return
	}
	j.env.OnExecution(change, u.x.Snapshot())
}

func storageReason(err error) string {
	if errors.Is(err, library.ErrFull) {
		return "STORAGE_FULL: the library could not keep it; free some disk space"
	}
	return fmt.Sprintf("the library could not keep it: %v", err)
}

// keeping returns the context for writes to the library, which are short and must not fail
// when Easel quits.
func (j *journal) keeping() context.Context { return context.WithoutCancel(j.env.Tasks.Context()) }
