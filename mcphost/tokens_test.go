package mcphost

import (
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// tokens counts what a model reads of s, with the vocabulary o200k. It is close enough
// to the vocabularies that are not public.
func tokens(t *testing.T, s string) int {
	t.Helper()
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := o200k.Count(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
