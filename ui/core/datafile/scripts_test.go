package datafile

import (
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"easel/internal/require"
)

// TestLettersWithTheSameBytes checks that half-width katakana, capitals and names are not taken for those of other
// scripts, which have the same bytes.
func TestLettersWithTheSameBytes(t *testing.T) {
	for name, test := range map[string]struct {
		enc   encoding.Encoding
		texts []string
	}{
		"cp932": {japanese.ShiftJIS, []string{
			"ｼﾒｲ,ﾃﾝ\nﾔﾏﾀﾞ,12\n", "ｼｮｳﾋﾝﾒｲ;ｶｶｸ\nﾘﾝｺﾞ;100\nﾐｶﾝ;50\n", "ﾅﾏｴ,ﾃﾞﾝﾜ\nｻﾄｳ ﾊﾅｺ,03\n",
			"ｶﾅ氏名,ﾌﾘｶﾞﾅ,金額\nﾔﾏﾀﾞ ﾀﾛｳ,ﾔﾏﾀﾞ,1200\nｻﾄｳ ﾊﾅｺ,ｻﾄｳ,3400\nｽｽﾞｷ ｲﾁﾛｳ,ｽｽﾞｷ,560\n",
			"code,ﾒｲｼｮｳ,qty\nA1,ｷｬﾍﾞﾂ,3\nA2,ﾆﾝｼﾞﾝ,5\nA3,ﾀﾏﾈｷﾞ,8\n", "1,ﾐﾂﾋﾞｼUFJ,ﾎﾝﾃﾝ,ｶ)ﾔﾏﾀﾞｼｮｳｼﾞ,120000\n2,ﾐｽﾞﾎ,ｼﾌﾞﾔ,ﾕ)ｻﾄｳｺｳｷﾞｮｳ,34000\n",
			"date,memo,yen\n2026/1/5,ﾃﾞﾝｷﾀﾞｲ,8200\n2026/1/6,ｽｲﾄﾞｳ,4100\n", "id,品名\n1,ﾎﾞｰﾙﾍﾟﾝ\n2,ﾉｰﾄ(B5)\n",
		}},
		"cp1251": {charmap.Windows1251, []string{
			"ИМЯ,ГОРОД\nИВАН,МОСКВА\n", "ТОВАР;ЦЕНА\nХЛЕБ;20\n", "ГОРОД,ОБЛАСТЬ\nТВЕРЬ,ТВЕРСКАЯ\nЮЖНО-САХАЛИНСК,САХАЛИНСКАЯ\n", "№,НАИМЕНОВАНИЕ\n1,«РОМАШКА»\n2,ООО «ЛЮТИК»\n",
			"МІСТО,ОБЛАСТЬ\nКИЇВ,КИЇВСЬКА\nЛЬВІВ,ЛЬВІВСЬКА\n", "Дата,Температура °С\n01.01,-5\n", "ФИО;ДОЛЖНОСТЬ\nЯЩЕНКО Ю.Ю.;ЮРИСТ\n",
		}},
		"gbk":    {simplifiedchinese.GBK, []string{"id,name\n1,王伟\n2,李娜\n3,张敏\n4,刘洋\n5,陈静\n6,杨磊\n7,赵强\n8,黄艳\n9,周杰\n10,吴芳\n11,徐涛\n12,孙丽\n13,马超\n14,朱婷\n15,胡军\n16,郭霞\n17,何勇\n18,林峰\n19,罗琳\n20,梁玉\n"}},
		"big5":   {traditionalchinese.Big5, []string{"id,name\n1,陳怡君\n2,蔡雅玲\n3,許志豪\n"}},
		"cp1253": {charmap.Windows1253, []string{"ΠΟΛΗ,ΠΛΗΘΥΣΜΟΣ\nΑΘΗΝΑ,664\nΘΕΣΣΑΛΟΝΙΚΗ,315\n"}},
		"cp1252": {charmap.Windows1252, []string{"PRÉNOM,ÂGE\nZOÉ,3\nFRANÇOIS,5\n", "STRASSE,GRÖSSE\nMÜLLERSTRASSE,5\nÄRZTEHAUS,3\n", "größe,n\nstraße,3\n"}},
		"cp1256": {charmap.Windows1256, []string{"الاسم,المدينة\nمحمد,القاهرة\nفاطمة,بيروت\n"}},
		"cp874":  {charmap.Windows874, []string{"ชื่อ,จังหวัด\nสมชาย,กรุงเทพมหานคร\nมาลี,เชียงใหม่\n"}},
	} {
		for _, text := range test.texts {
			data, err := encoding.ReplaceUnsupported(test.enc.NewEncoder()).Bytes([]byte(text))
			require.NoError(t, err)
			want, err := test.enc.NewDecoder().Bytes(data)
			require.NoError(t, err)
			if d, ok := Decode(data); !ok || d.Text != string(want) {
				t.Errorf("%s %q: %s (or %s): %q", name, text, d.Encoding, d.Or, d.Text)
			}
		}
	}
}
