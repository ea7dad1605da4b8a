package tokens

import (
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"easel/internal/require"
)

// TestEstimatesAreWithinAFactorOfTwo of the tokens of a real model. Bare numbers cost more than estimated.
func TestEstimatesAreWithinAFactorOfTwo(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	for _, text := range []string{
		"", strings.Repeat("OFF-AXIS: North 1 of 50 points (y up to 391, axis to 9.95). ", 9),
		strings.Repeat("3.14159 -2.71828 1e-9 ", 30), strings.Repeat("売上の推移を表すグラフ", 20), `{"a":[1,2.5,null],"b":"x"}`,
	} {
		counted, err := o200k.Count(text)
		require.NoError(t, err)
		if n := In(text); 2*n < counted || n > 2*counted+2 {
			t.Errorf("%.40q: %d estimated, %d counted", text, n, counted)
		}
	}
}
