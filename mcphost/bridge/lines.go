package bridge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// byteOrderMark is what some programs on Windows write first.
var byteOrderMark = []byte("\xef\xbb\xbf")

// readLines sends each line of in to lines, unless it is blank, until the end of in.
func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	r := bufio.NewReaderSize(in, 64<<10)
	if head, err := r.Peek(len(byteOrderMark)); err == nil && bytes.Equal(head, byteOrderMark) {
		_, _ = r.Discard(len(byteOrderMark)) // they are buffered
	}
	for {
		line, err := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			select {
			case lines <- line:
			case <-ctx.Done():
				return nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return io.EOF
		case err != nil:
			return fmt.Errorf("bridge: reading the client's messages: %w", err)
		}
	}
}
