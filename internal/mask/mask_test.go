package mask

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"easel/internal/require"
)

const (
	own   = "k3Jq-9zXw_4bTn7LcVgPm2RyHs8DfUa6Ee1Io0QxZtY" // as Easel makes them
	other = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978"
	given = `p&ss "wörd" <1>\2/+%` // as a user may choose one
)

func newMask() *Mask {
	m := New()
	m.Set(Easel, own)
	m.Add(Jupyter, other)
	m.Add(Jupyter, given)
	return m
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// Whatever the token is written in, what a reader decodes has none of it.
func TestMask(t *testing.T) {
	m := newMask()
	for secret, want := range map[string]Kind{own: Easel, other: Jupyter, given: Jupyter} {
		for name, text := range map[string]string{
			"alone":         secret,
			"in a sentence": "before " + secret + " after",
			"twice":         secret + secret + "\n" + secret,
			"query":         "http://localhost:8888/lab?token=" + url.QueryEscape(secret) + "&x=1",
			"path":          "/a/" + url.PathEscape(secret) + "/b",
			"a JSON text":   encode(t, map[string]string{"token": secret}),
		} {
			t.Run(fmt.Sprintf("%s %s", want, name), func(t *testing.T) {
				for depth, v := range []any{map[string]string{"stdout": text}, map[string]string{text: "key"}, encode(t, map[string]any{"stdout": text})} {
					got := m.JSON([]byte(encode(t, v)))
					for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), quoted(secret, true), quoted(secret, false)} {
						if bytes.Contains(got, []byte(form)) {
							t.Errorf("depth %d: %s", depth, got)
						}
					}
					if !json.Valid(got) || !bytes.Contains(got, []byte(want)) {
						t.Errorf("depth %d: %s", depth, got)
					}
				}
				if name != "a JSON text" {
					if got := m.String(text); strings.Contains(got, secret) || !strings.Contains(got, string(want)) {
						t.Errorf("%s", got)
					}
				}
			})
		}
	}
}

// An output is cut where a limit is. Half of a token is recognised on both sides.
func TestMaskCut(t *testing.T) {
	m := newMask()
	for _, text := range []string{own[:len(own)-5] + " … 3 kB cut", "cut … " + own[5:], other[:30] + "…", "…" + other[12:]} {
		got := m.String(text)
		for _, secret := range []string{own, other} {
			for i := range len(secret) - Shortest {
				if part := secret[i : i+Shortest]; strings.Contains(got, part) {
					t.Fatalf("%q of %q", part, got)
				}
			}
		}
		if !strings.Contains(got, "[") {
			t.Errorf("%q is not masked: %q", text, got)
		}
	}
}

// A token that code has put between other letters is no picture.
func TestMaskBetweenLetters(t *testing.T) {
	letters := strings.Repeat("y", 100_000)
	for _, secret := range []string{own, other} {
		if got := newMask().JSON([]byte(encode(t, letters+secret+letters))); bytes.Contains(got, []byte(secret[:20])) {
			t.Errorf("%s is not masked", secret)
		}
	}
}

// What is no secret stays as it is, byte for byte.
func TestMaskLeaves(t *testing.T) {
	m := newMask()
	m.Add(Jupyter, "short")
	m.Add(Jupyter, "")
	m.Add(Jupyter, "AAAAAAAAAAAAAAAA")
	m.Add(Jupyter, "1234567890123456")
	picture := encode(t, base64.StdEncoding.EncodeToString(make([]byte, 30_000)))
	for _, text := range []string{
		``, `{}`, `"short"`, own[:7], `{"stdout":"nothing here"}`,
		picture, `{"data":` + picture + `}`,
		`{"n":1234567890123456,"m":[1234567890123456,"a \" b",1234567890123456]}`,
	} {
		if got := m.JSON([]byte(text)); string(got) != text {
			t.Errorf("%.80s became %.80s", text, got)
		}
	}
	if got := m.JSON([]byte(`{"n":1234567890123456,"text":"\\\"1234567890123456"}`)); string(got) != `{"n":1234567890123456,"text":"\\\"[Jupyter token]"}` {
		t.Errorf("%s", got)
	}
	if got := (*Mask)(nil).JSON([]byte(own)); string(got) != own {
		t.Errorf("nil: %s", got)
	}
	if got := New().String(own); got != own {
		t.Errorf("empty: %s", got)
	}
}

// The beginning of a secret may look like the end of an escape sequence.
func TestMaskAfterEscapes(t *testing.T) {
	for _, secret := range []string{"n0123456789abcdefghij", "u2028aaaabbbbccccdddd", "28aaaabbbbccccdddd", "tail-of-a-password"} {
		m := New()
		m.Add(Jupyter, secret)
		for _, text := range []string{"\n" + secret[1:], "\t" + secret[1:], "\u2028" + strings.TrimPrefix(secret, "u2028"), "\u2028" + strings.TrimPrefix(secret, "28"), "\\" + secret} {
			once := m.JSON([]byte(encode(t, text)))
			twice := m.JSON([]byte(encode(t, encode(t, text))))
			var inner string
			if !json.Valid(once) || json.Unmarshal(twice, &inner) != nil || !json.Valid([]byte(inner)) {
				t.Errorf("%q in %q: %s, %s", secret, text, once, twice)
			}
			if strings.Contains(string(once), secret[5:]) {
				t.Errorf("%q in %q: %s", secret, text, once)
			}
		}
	}
}

// A new token of Easel replaces the old one, which is worth nothing. Tokens of servers add
// up, but not without limit.
func TestMaskChanges(t *testing.T) {
	m := newMask()
	next := strings.Repeat("n", 40)
	m.Set(Easel, next)
	if got := m.String(own + " " + next); got != own+" "+string(Easel) {
		t.Error(got)
	}
	for i := range 3 * mostKept {
		m.Add(Jupyter, fmt.Sprintf("token-number-%08d", i))
	}
	if n := len(m.kept[Jupyter]); n != mostKept {
		t.Errorf("%d are kept", n)
	}
	if got := m.String(fmt.Sprintf("token-number-%08d", 3*mostKept-1)); got != string(Jupyter) {
		t.Error(got)
	}
	m.Add(Jupyter, next)
	if got := m.String(next); got != string(Easel) {
		t.Error(got)
	}
}

func TestMaskNeverGrows(t *testing.T) {
	for _, k := range []Kind{Easel, Jupyter} {
		if len(k) > Shortest || encode(t, k) != `"`+string(k)+`"` {
			t.Errorf("%s is too long, or not plain", k)
		}
	}
}

func TestWriter(t *testing.T) {
	var b bytes.Buffer
	text := `{"msg":"call","cause":"` + own + `"}` + "\n"
	if n, err := newMask().Writer(&b).Write([]byte(text)); n != len(text) || err != nil {
		t.Fatal(n, err)
	}
	if b.String() != `{"msg":"call","cause":"[Easel's token]"}`+"\n" {
		t.Error(b.String())
	}
}

func BenchmarkMask(b *testing.B) {
	for _, size := range []int{1_000, 100_000, 900_000} {
		text := []byte(encode2(size))
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			m := newMask()
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				m.JSON(text)
			}
		})
	}
}

func encode2(size int) string {
	return `{"stdout":"` + strings.Repeat("the quick brown fox 0123456789\\n", size/32) + `"}`
}
