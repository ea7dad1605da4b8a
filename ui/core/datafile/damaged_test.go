package datafile

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"

	"easel/internal/require"
)

// TestOneBadByte checks that a text is recognised although a byte of it is lost or wrong, and that it is said.
func TestOneBadByte(t *testing.T) {
	for name, test := range map[string]struct {
		enc  encoding.Encoding
		text string
		bad  string
	}{
		"cp932":   {japanese.ShiftJIS, strings.Repeat("竹内ソーダ,120\n髙橋製菓,250\n", 20), "\xa0"},
		"euc_jp":  {japanese.EUCJP, strings.Repeat("山田太郎,東京都\n", 20), "\xff"},
		"gb18030": {simplifiedchinese.GBK, strings.Repeat("哈尔滨,988\n昆明,846\n", 20), "\xff"},
		"cp949":   {korean.EUCKR, strings.Repeat("김치냉장고,12\n", 20), "\xff"},
	} {
		data, err := test.enc.NewEncoder().Bytes([]byte(test.text))
		require.NoError(t, err)
		at := strings.LastIndexByte(string(data[:len(data)/2]), '\n') + 1
		d, ok := Decode(slices.Insert(data, at, []byte(test.bad)...))
		if !ok || d.Encoding != name || !d.Errors || strings.ReplaceAll(d.Text, "\ufffd", "") != test.text {
			t.Errorf("%s: %t %s (or %s) %t: %.60q", name, ok, d.Encoding, d.Or, d.Errors, d.Text)
		}
		if notes := strings.Join(d.Notes, ""); !strings.Contains(notes, "1 characters are not of this encoding") || !strings.Contains(notes, "guess") {
			t.Errorf("%s: %q", name, notes)
		}
	}
	short := "名,値\n東京,1\n大阪,2\n京"
	if d, ok := Decode([]byte(short[:len(short)-1])); !ok || d.Encoding != "utf-8" || !d.Errors || d.Text != "名,値\n東京,1\n大阪,2\n\ufffd" {
		t.Errorf("a text that ends within a character: %t %+v", ok, d)
	}
}

// TestItIsSaidWhatAFileIs checks what is said of files that are not read.
func TestItIsSaidWhatAFileIs(t *testing.T) {
	dos, err := charmap.CodePage866.NewEncoder().String("Город,Область\nТверь,Тверская\n")
	require.NoError(t, err)
	protected := compoundFile + strings.Repeat("\x00", 504) + "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
	for name, test := range map[string]struct{ content, want string }{
		"a.csv":  {dos, "text in an encoding"},
		"a.xlsx": {protected, "protected with a password"},
		"a.xlsm": {compoundFile + strings.Repeat("\x00", 504), "old or binary Excel"},
		"a.xls":  {compoundFile, "old or binary Excel"},
	} {
		_, err := Read(t.Context(), name, []byte(test.content), plenty)
		if e, ok := errors.AsType[*BinaryError](err); !ok || !strings.Contains(e.Kind, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := read(t, "empty.parquet", testdata(t, "arrow-empty.parquet"), plenty)
	if c.Table.Total != 0 || !slices.Equal(c.Table.Columns, []string{"n", "s"}) {
		t.Errorf("a table without rows: %+v", c.Table)
	}
}
