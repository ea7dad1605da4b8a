package datafile

import (
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// TestHalfWidthKatakana checks that they are recognised, and that capitals of Cyrillic, which have
// the same bytes, are not taken for them.
func TestHalfWidthKatakana(t *testing.T) {
	for text, want := range map[string]string{
		"ｼﾒｲ,ﾃﾝ\nﾔﾏﾀﾞ,12\n": "cp932", "ｼｮｳﾋﾝﾒｲ;ｶｶｸ\nﾘﾝｺﾞ;100\nﾐｶﾝ;50\n": "cp932", "ﾅﾏｴ,ﾃﾞﾝﾜ\nｻﾄｳ ﾊﾅｺ,03\n": "cp932",
		"ИМЯ,ГОРОД\nИВАН,МОСКВА\n": "cp1251", "ТОВАР;ЦЕНА\nХЛЕБ;20\n": "cp1251",
	} {
		enc := japanese.ShiftJIS.NewEncoder()
		if want == "cp1251" {
			enc = charmap.Windows1251.NewEncoder()
		}
		data, err := enc.Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := Decode(data); !ok || d.Encoding != want || d.Text != text {
			t.Errorf("%q: %s (or %s): %q", text, d.Encoding, d.Or, d.Text)
		}
	}
}
