package datafile

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// A candidate is an old encoding. It is recognised by its text: bytes that are not of the
// encoding exclude it, and the others are weighed by how common their characters are in the
// languages that it is for. The detectors that exist count pairs of letters in long texts, and
// fail on the few words in a table's header.
type candidate struct {
	name   string // as Python names it
	enc    encoding.Encoding
	common map[rune]float64 // how common characters beyond ASCII are, 0 to 1
	prior  float64          // added to its score
	wide   bool             // it has characters of several bytes
	dense  bool             // its letters are not those of ASCII, so that most bytes are beyond it
}

// candidates are in the order of preference. Japanese comes first, because Easel has many
// Japanese users, and short texts fit several East Asian encodings.
var candidates = []candidate{
	{"cp932", japanese.ShiftJIS, commonJapanese, 0.06, true, true},
	{"euc_jp", japanese.EUCJP, commonJapanese, 0.06, true, true},
	{"gb18030", simplifiedchinese.GB18030, commonIn(simplified), 0, true, true},
	{"big5", traditionalchinese.Big5, commonIn(traditional), 0, true, true},
	{"cp949", korean.EUCKR, commonIn(hangul), 0, true, true},
	{"cp1252", charmap.Windows1252, western, 0.06, false, false},
	{"cp1250", charmap.Windows1250, central, 0, false, false},
	{"cp1251", charmap.Windows1251, cyrillic, 0.02, false, true},
	{"koi8_r", charmap.KOI8R, cyrillic, -0.1, false, true},
	{"cp1253", charmap.Windows1253, greek, 0, false, true},
	{"cp1254", charmap.Windows1254, turkish, 0, false, false},
	{"cp1255", charmap.Windows1255, hebrew, 0, false, true},
	{"cp1256", charmap.Windows1256, arabic, -0.05, false, true},
	{"cp874", charmap.Windows874, thai, 0, false, true},
}

const (
	sampleSize = 256 << 10 // bytes of a file that are looked at to recognise its encoding
	leastScore = 0.2       // below it, the text is of no known language
	fewLetters = 12        // characters beyond ASCII below which nothing is certain
	clearLead  = 0.35      // lead of the best score that makes it certain
)

// A fit is a candidate with its text of the sample.
type fit struct {
	candidate
	text  string
	score float64
	bad   int // bytes that are not of the encoding
}

// legacy decodes a text in an old encoding.
func legacy(data []byte) (DecodedText, bool) {
	sample := data
	if len(sample) > sampleSize {
		sample = sample[:sampleSize]
		if end := bytes.LastIndexByte(sample, '\n'); end > 0 {
			sample = sample[:end+1]
		}
	}
	var fits []fit
	for _, c := range candidates {
		if s, bad, ok := c.decode(sample); ok && (c.dense || sparse(sample)) {
			fits = append(fits, fit{c, s, c.score(s) + c.prior, bad})
		}
	}
	slices.SortStableFunc(fits, func(a, b fit) int { return -cmp.Compare(a.score, b.score) })
	for i, f := range fits {
		if f.score < leastScore {
			break
		}
		s, bad, ok := f.decode(data)
		if !ok {
			continue
		}
		d := DecodedText{Text: s, Encoding: f.name, Errors: bad > 0}
		d.Guess, d.Or = f.doubt(fits[i+1:])
		if bad > 0 {
			d.Guess = true
			d.Notes = append(d.Notes, fmt.Sprintf("%d characters are not of this encoding; each is shown as \ufffd", bad))
		}
		return d, true
	}
	return DecodedText{}, false
}

// decode decodes a text. Characters of several bytes may be damaged in a few places: where one is cut off, the
// text goes on. In other encodings, a byte without a character is a sign of another encoding.
func (c candidate) decode(data []byte) (s string, bad int, ok bool) {
	const few = 50 // one in so many characters beyond ASCII
	raw, err := c.enc.NewDecoder().Bytes(data)
	if err != nil {
		return "", 0, false
	}
	s = string(raw)
	if bad = strings.Count(s, "\ufffd"); bad == 0 {
		return s, 0, clean(s)
	}
	return s, bad, c.wide && bad*few <= beyondASCII(s) && clean(strings.ReplaceAll(s, "\ufffd", ""))
}

func beyondASCII(s string) (n int) {
	for _, r := range s {
		if r >= utf8.RuneSelf {
			n++
		}
	}
	return n
}

// doubt reports whether a text may be in another encoding, and which of the others (from the
// best) is next. Those in which it is the same text are no doubt.
func (f fit) doubt(others []fit) (guess bool, next string) {
	for _, o := range others {
		if o.text != f.text && o.score > 0 {
			next = o.name
			guess = f.score-o.score < clearLead
			break
		}
	}
	// Almost any bytes are text in encodings with one byte for a character.
	if guess = guess || !f.wide || beyondASCII(f.text) < fewLetters || f.score < 0.5; !guess {
		next = ""
	}
	return guess, next
}

// score returns how common the characters beyond ASCII are, from −1 to 1.
func (c candidate) score(s string) float64 {
	n, sum := 0, 0.0
	before := ' '
	for _, r := range s {
		if r >= utf8.RuneSelf {
			n++
			sum += c.weight(before, r)
		} else if isASCIILetter(r) && (!c.wide && c.dense && before >= utf8.RuneSelf && unicode.IsLetter(before) ||
			before >= 0xff61 && before <= 0xff9f) {
			sum-- // two scripts in a word
		}
		before = r
	}
	if n == 0 {
		return 0
	}
	return max(-1, sum/float64(n))
}

// weight returns how likely r is behind another character.
func (c candidate) weight(before, r rune) float64 {
	if w, ok := c.common[unicode.ToLower(r)]; ok {
		switch {
		case unicode.IsUpper(r) && unicode.IsLower(before):
			return -1 // as in Cyrillic text of another encoding
		case !c.wide && strings.ContainsRune("±µ¶·¦¤¬®²³¼½¾", before): // as half-width katakana in another encoding
			return -1
		case !c.wide && c.dense && isASCIILetter(before): // two scripts in a word
			return -1
		case unicode.IsUpper(r):
			return w * 0.9
		}
		return w
	}
	switch {
	case r >= 0x3000 && r <= 0x303f, r >= 0xff01 && r <= 0xff5e: // punctuation, full-width Latin
		return 0.7
	case r >= 0xff61 && r <= 0xff9f: // half-width katakana, in a row if they are meant
		switch {
		case before < 0xff61 || before > 0xff9f:
			return 0
		case strings.ContainsRune("､･ｦｧｨｩｪｫ", r): // rare, but common bytes of Big5
			return -0.5
		case r <= 0xff7f, r == 'ﾞ' && strings.ContainsRune("ｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾊﾋﾌﾍﾎ", before): // where other encodings have signs
			return 1
		}
		return 0.6 // where they have capitals
	case c.wide && (unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hangul, r)):
		return 0.1
	case !c.wide && strings.ContainsRune("€£–—’‘“”„…°§©®µ²³·«»№ºª½¿¡", r):
		if (unicode.IsLetter(before) || before >= utf8.RuneSelf) && !strings.ContainsRune("’»”“…®", r) {
			return -0.5
		}
		return 0.5
	case !c.wide && unicode.IsLetter(r):
		return 0
	}
	return -0.5
}

func isASCIILetter(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' }

// sparse reports whether at most a third of the bytes are not ASCII, as in languages with
// Latin letters.
func sparse(data []byte) bool {
	high := 0
	for _, b := range data {
		if b >= utf8.RuneSelf {
			high++
		}
	}
	return high*3 <= len(data)
}
