package bridge

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLinesEndWithOrWithoutANewline(t *testing.T) {
	lines, ended := make(chan []byte, 10), make(chan error, 1)
	go func() {
		defer close(lines)
		ended <- readLines(context.Background(), strings.NewReader("\xef\xbb\xbfone\n\n  \r\ntwo\r\nthree"), lines)
	}()
	var got []string
	for line := range lines {
		got = append(got, string(line))
	}
	if err := <-ended; strings.Join(got, ",") != "one,two,three" || !errors.Is(err, io.EOF) {
		t.Errorf("got %q, %v", got, err)
	}
}
