package bridge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Delays between attempts to open the stream of notifications.
const (
	firstRetry = 200 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// listen forwards the notifications that belong to no request, until ctx ends. It does
// not start Easel, but reconnects when Easel runs again.
func (b *bridge) listen(ctx context.Context) {
	wait := firstRetry
	again := false
	for ctx.Err() == nil {
		opened, err := b.stream(ctx, again)
		if opened {
			wait, again = firstRetry, true
		}
		b.c.Log.DebugContext(ctx, "the stream of notifications ended", "cause", err)
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
		wait = min(2*wait, lastRetry)
	}
}

// stream follows one stream to its end. After a gap it tells the client that the
// resources may have changed, because notifications may have been lost.
func (b *bridge) stream(ctx context.Context, gap bool) (opened bool, err error) {
	r, err := b.easel.running(ctx)
	if err != nil {
		return false, err
	}
	id, version, _ := b.session.get()
	req, err := b.request(ctx, r, http.MethodGet, nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set(mcp.HeaderSessionID, id)
	req.Header.Set(mcp.HeaderProtocolVersion, version)
	res, err := b.http.Do(req)
	if err != nil {
		b.easel.lost(r)
		return false, fmt.Errorf("bridge: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		if res.StatusCode == http.StatusUnauthorized {
			b.easel.lost(r)
		}
		return false, problem(res)
	}
	if gap {
		b.put([]byte(`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`))
	}
	return true, events(res.Body, b.put)
}

// events calls f with the data of each server-sent event of in.
func events(in io.Reader, f func(data []byte)) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var data []byte
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("the stream broke off: %w", err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if len(data) > 0 {
				f(data)
				data = nil
			}
			continue
		}
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(rest, []byte(" "))...)
		}
	}
}
