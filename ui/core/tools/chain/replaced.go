package chain

import (
	"context"
	"errors"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// A newsBearer is the result of a tool that works with a session.
type newsBearer interface {
	SetKernelReplaced(k *catalog.KernelReplaced)
}

var _ newsBearer = (*catalog.SessionNews)(nil)

// tellReplaced tells the caller, with the result of a call about a session, that the session's
// variables were lost since its last one. out points to the result. If the call failed with
// err, tellReplaced returns an error that says so.
func (c *Chain) tellReplaced(ctx context.Context, in, out any, err error) error {
	e, coded := errors.AsType[*tool.Error](err)
	if c.Replaced == nil || err != nil && !coded {
		return err
	}
	result, ok := out.(newsBearer)
	if !ok {
		return err
	}
	news := c.Replaced(ctx, catalog.SessionOf(in, out))
	if news == nil {
		return err
	}
	result.SetKernelReplaced(news)
	if err == nil {
		return nil
	}
	said := *e
	said.Hint = strings.TrimSpace(said.Hint + " " + news.String())
	return &said
}
