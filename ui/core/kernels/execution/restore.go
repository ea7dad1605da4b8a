package execution

import (
	"context"

	"easel/mcphost/catalog"
	outputfile "easel/ui/core/library/output"
	"easel/ui/core/outputlog"
)

// mostRestored is how much of each end of a stream is read again after a restart of Easel.
const mostRestored = 1 << 20

// restoreOutputs reads the outputs that were stored.
func (x *Execution) restoreOutputs() {
	ctx := context.Background() // short reads of local files
	if stored, _, err := x.library.Output.Read(ctx, x.id, outputfile.Outputs, 0, 0); err == nil && len(stored) > 0 {
		x.log = outputlog.Load(stored)
	} else {
		var images []string
		for _, i := range x.images {
			images = append(images, i.ImageID)
		}
		failure := ""
		if x.rec.Error != nil && x.rec.Error.Code == catalog.CodeExecution {
			failure = x.rec.Error.Message
		}
		x.log = outputlog.Usual(x.rec.StdoutBytes > 0, x.rec.StderrBytes > 0, images, x.rec.Result, failure)
	}
	for name, s := range map[string]*stream{"stdout": &x.stdout, "stderr": &x.stderr} {
		for _, e := range x.log.Streams(name) {
			s.marks = append(s.marks, mark{e.At, e.ID, e.Split})
		}
		text, total, err := x.library.Output.Read(ctx, x.id, name, 0, mostRestored)
		if err != nil {
			continue // show the rest; the library reports the damaged file
		}
		if total > 0 && len(s.marks) == 0 {
			x.Print(name, 0)
		}
		s.write(text)
		from := max(int64(len(text)), total-mostRestored)
		if from == total {
			continue
		}
		if tail, _, err := x.library.Output.Read(ctx, x.id, name, from, mostRestored); err == nil {
			if left := from - int64(len(text)); left > 0 {
				s.skip(left)
			}
			s.write(tail)
		}
	}
}
