package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// now is a Tuesday.
var now = time.Date(2026, 11, 24, 14, 30, 0, 0, time.FixedZone("JST", 9*3600))

// said writes a term as a test expects it.
func said(t Term) string {
	s := string(t.Key) + ":" + t.Folded
	if t.Not {
		s = "not " + s
	}
	switch {
	case t.Problem != Fine:
		s += " !" + string(t.Problem)
	case t.Key == Stars:
		s = fmt.Sprintf("stars%s%d", t.Op, t.Count)
	case t.Key == After || t.Key == Before:
		s = fmt.Sprintf("%s %s", t.Key, t.From.Format("01-02 15:04"))
	case t.Key == On:
		s = fmt.Sprintf("on %s to %s", t.From.Format("06-01-02"), t.To.Format("01-02"))
	}
	return s
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                                            "",
		"  気温　Sine ":                                  ":気温, :sine",
		`"two  words" one`:                            ":two words, :one",
		`print("x") "say ""hi"" now"`:                 `:print("x"), :say "hi" now`,
		`"open`:                                       ":open !unclosed",
		"-bad -1.5 --flag -> -":                       "not :bad, :-1.5, :--flag, :->, :-",
		`-"no way" -client:cursor`:                    "not :no way, not client:cursor",
		"client:Cursor":                               "client:cursor",
		`client:"Claude Desktop"`:                     "client:claude desktop",
		"クライアント：cursor":                               "client:cursor",
		"client:":                                     "client: !incomplete",
		"x: for http://a plt:3 key:":                  ":x:, :for, :http://a, :plt:3, :key:",
		"stars:>=3 stars:4 stars:5+ rating:<2":        "stars>=3, stars=4, stars>=5, stars<2",
		"stars:≥３ 星:3 stars:7 stars:many":             "stars>=3, stars=3, stars:7 !stars, stars:many !stars",
		"kind:Plotly kind:jpg type:pie":               "kind:plotly, kind:jpeg, kind: !kind",
		"has:note has:エラー has:money":                  "has:note, has:error, has: !thing",
		"is:new is:old":                               "is:new, is:old !is",
		"after:09:00":                                 "after 11-24 09:00",
		"after:9:05":                                  "after 11-24 09:05",
		"after:15:00 before:15:00":                    "after 11-23 15:00, before 11-24 15:00",
		"on:yesterday after:15:00 before:16:30":       "on 26-11-23 to 11-24, after 11-23 15:00, before 11-23 16:30",
		"after:9時 before:9時30分":                       "after 11-24 09:00, before 11-24 09:30",
		"on:today on:昨日 on:monday on:月曜 on:tue":       "on 26-11-24 to 11-25, on 26-11-23 to 11-24, on 26-11-23 to 11-24, on 26-11-23 to 11-24, on 26-11-24 to 11-25",
		"on:wednesday on:日曜日":                         "on 26-11-18 to 11-19, on 26-11-22 to 11-23",
		"on:2026-11-24 on:11-20 on:12/24":             "on 26-11-24 to 11-25, on 26-11-20 to 11-21, on 25-12-24 to 12-25",
		"on:11月20日 on:2025年1月2日":                      "on 26-11-20 to 11-21, on 25-01-02 to 01-03",
		"on:2026-10 on:10月 on:2025 on:12月":            "on 26-10-01 to 11-01, on 26-10-01 to 11-01, on 25-01-01 to 01-01, on 25-12-01 to 01-01",
		"on:week on:先週 on:month":                      "on 26-11-23 to 11-30, on 26-11-16 to 11-23, on 26-11-01 to 12-01",
		"after:1h after:90min before:2d after:1週間":    "after 11-24 13:30, after 11-24 13:00, before 11-22 14:30, after 11-17 14:30",
		`after:2026-11-23T08:15 after:"11-23 8:20"`:   "after 11-23 08:15, after 11-23 08:20",
		"after:25:00 after:soon on:09:00":             "after:25:00 !time, after:soon !time, on:09:00 !day",
		"on:2026-02-30 on:13-01 on:5 after:99999999h": "on:2026-02-30 !time, on:13-01 !time, on:5 !time, after:99999999h !time",
	} {
		var got []string
		for _, term := range Parse(text, Clock{Now: now}) {
			got = append(got, said(term))
		}
		if joined := strings.Join(got, ", "); joined != want {
			t.Errorf("%s\n got %s\nwant %s", text, joined, want)
		}
	}
}

func TestTermsAreWhereTheyAreWritten(t *testing.T) {
	text := `気温  -client:"Claude Desktop" "a b" x`
	var got []string
	for _, term := range Parse(text, Clock{}) {
		got = append(got, text[term.Start:term.End])
	}
	if want := []string{"気温", `-client:"Claude Desktop"`, `"a b"`, "x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Without(text, func(t Term) bool { return t.Key == Client }); got != `気温 "a b" x` {
		t.Errorf("without the client: %s", got)
	}
	timed := Term.Timed
	if got := With("気温 on:today", "after:1h", timed); got != "気温 after:1h" {
		t.Errorf("with another time: %s", got)
	}
}

func TestWriteIsReadAsWritten(t *testing.T) {
	for _, value := range []string{"cursor", "Claude Desktop", `"`, "-x", "client:x", `say "hi" now`} {
		for _, key := range []Key{Word, Client, Tag} {
			text := Write(key, value)
			terms := Parse(text, Clock{})
			if len(terms) != 1 || terms[0].Value != value && value != `"` || terms[0].Key != key || terms[0].Not {
				t.Errorf("%s %q is written as %s, which is read as %+v", key, value, text, terms)
			}
		}
	}
}

// FuzzParse: every text is read, and its terms are parts of it, in order, that leave only spaces.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`a "b c" -d`, "client:x after:9:00 stars:>=3", "　：\"", "on:2026-13-99", "\xff-\"", `x"y" ""`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, term := range Parse(s, Clock{Now: now}) {
			if term.Start < at || term.End <= term.Start || term.End > len(s) || strings.TrimSpace(s[at:term.Start]) != "" {
				t.Fatalf("%q: %+v after %d", s, term, at)
			}
			at = term.End
		}
		if strings.TrimSpace(s[at:]) != "" {
			t.Fatalf("%q: %q was not read", s, s[at:])
		}
	})
}
