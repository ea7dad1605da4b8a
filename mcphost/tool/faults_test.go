package tool

import (
	"math/big"
	"testing"
)

func TestNumbersAreShownAsWritten(t *testing.T) {
	for text, want := range map[string]string{
		"0.2": "0.2", "10.25": "10.25", "86400": "86400", "0": "0", "1/3": "0.333333", "-1": "-1", "8000000": "8000000",
	} {
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatal(text)
		}
		if got := number(r); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
