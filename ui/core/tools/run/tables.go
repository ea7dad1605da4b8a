package run

import (
	"context"
	"time"

	"easel/eventbus"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/tools/chain"
)

// tablePatience limits a question about a table. To sort and to filter may take long, and the user can cancel it.
const tablePatience = 2 * time.Minute

// A tableQuestion is how a question about a table reaches the kernel.
type tableQuestion struct {
	op     string
	of     command.TableRef
	beside bool // it may take longer than an instant
}

// registerTables registers what the window asks about tables.
func (v *variables) registerTables(c *chain.Chain) {
	registerTable(c, v, command.ReadTableShape, func(in command.TableRef) tableQuestion {
		return tableQuestion{"shape", in, false}
	})
	registerTable(c, v, command.ReadTable, func(in command.TablePageIn) tableQuestion {
		return tableQuestion{"page", in.TableRef, in.Beside}
	})
	registerTable(c, v, command.ReadTableHeads, func(in command.TableHeadsIn) tableQuestion {
		return tableQuestion{"heads", in.TableRef, true}
	})
	registerTable(c, v, command.SearchTable, func(in command.TableSearchIn) tableQuestion {
		return tableQuestion{"search", in.TableRef, true}
	})
	registerTable(c, v, command.ReadTableCode, func(in command.TableView) tableQuestion {
		return tableQuestion{"code", in.TableRef, true}
	})
	registerTable(c, v, command.ForgetTable, func(in command.TableRef) tableQuestion {
		return tableQuestion{"forget", in, false}
	})
}

func registerTable[In, Out any](c *chain.Chain, v *variables, topic *eventbus.Topic[In, Out], question func(In) tableQuestion) {
	chain.Register(c, topic, func(ctx context.Context, in In) (out Out, err error) {
		ctx, cancel := context.WithTimeout(ctx, tablePatience)
		defer cancel()
		q := question(in)
		err = kernels.Table(ctx, v.kernels, q.of.SessionID, q.op, q.of.Name, q.beside, in, &out)
		return out, err
	})
}
