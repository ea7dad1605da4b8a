package searchhints

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"easel/ui/core/library/search"
)

var known = Vocabulary{
	Clients: []string{"claude-code", "Cursor", "Claude Desktop"}, Sessions: []string{"売上.ipynb", "Churn in May"}, Tags: []string{"keep", "to do"},
	Searches: []SavedSearch{{"Mine", "stars:>=4"}},
}

// TestSuggestions: | is the caret.
func TestSuggestions(t *testing.T) {
	for text, want := range map[string][]string{
		"c|":                  {"client:|"},
		"気温 -S|":              {"気温 -session:|", "気温 -stars:|"},
		"figure|":             nil,
		"a |":                 nil,
		"client:|":            {"client:claude-code |", "client:Cursor |", `client:"Claude Desktop" |`},
		"client:c| plt":       {"client:claude-code |plt", "client:Cursor |plt", `client:"Claude Desktop" |plt`},
		"client:cur|":         {"client:Cursor |"},
		`client:"claude d|`:   {`client:"Claude Desktop" |`},
		"client:cursor|":      nil,
		"session:may|":        {`session:"Churn in May" |`},
		"タグ：ke|":              {"tag:keep |"},
		"has:f|":              {"has:findings |"},
		"kind:p|":             {"kind:plotly |", "kind:pdf |", "kind:png |", "kind:matplotlib |", "kind:jpeg |", "kind:webp |"},
		`"cl|`:                nil,
		"-is:|":               {"-is:new |"},
		"x|y":                 nil,
		"stars:>|5 session:x": {"stars:>=4 |session:x", "stars:>=3 |session:x"},
	} {
		before, _, _ := strings.Cut(text, "|")
		var got []string
		for _, s := range Suggest(strings.Replace(text, "|", "", 1), utf8.RuneCountInString(before), known) {
			if s.Caret > utf8.RuneCountInString(s.Text) {
				t.Fatalf("%s: the caret of %+v is behind the text", text, s)
			}
			at := offset(s.Text, s.Caret)
			got = append(got, s.Text[:at]+"|"+s.Text[at:])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestAnEmptySearchOffersEverything(t *testing.T) {
	all := Suggest(" ", 0, known)
	if all[0].Label != "Mine" || all[0].Text != "stars:>=4" || !all[0].Done || all[1].Text != "after:1h" {
		t.Errorf("it begins with %+v", all[:2])
	}
	for _, key := range search.Keys {
		if !slices.ContainsFunc(all, func(s Suggestion) bool { return strings.HasPrefix(s.Text, string(key)+":") }) {
			t.Errorf("%s is not offered", key)
		}
	}
	for _, s := range all {
		if s.Done && len(search.Parse(s.Text, search.Clock{}).Wrong()) > 0 {
			t.Errorf("%s is wrong", s.Text)
		}
	}
}

// TestEveryValueIsRight: what is offered is what is understood.
func TestEveryValueIsRight(t *testing.T) {
	for _, key := range search.Keys {
		for _, v := range values(key, known) {
			if terms := search.Parse(search.Write(key, v), search.Clock{}); len(terms) != 1 || terms[0].Problem != search.Fine {
				t.Errorf("%s %s: %+v", key, v, terms)
			}
		}
	}
}

func TestClientName(t *testing.T) {
	for client, want := range map[string]string{"Cursor 1.9": "Cursor", "Visual Studio Code 1.2": "Visual Studio Code", "curl/8": "curl/8", "": ""} {
		if got := clientName(client); got != want {
			t.Errorf("%q: %q", client, got)
		}
	}
}

// TestDuring: a session from 9:00 to 12:00 on Tuesday 24 November; it is Monday 30 November, noon.
func TestDuring(t *testing.T) {
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.Local) }
	for text, want := range map[string]bool{
		"": true, "on:tuesday": true, "on:wednesday": false, "on:monday on:tuesday": true, "-on:tuesday": true, "on:nowhere": true,
		"after:7d": true, "after:today": false, "before:tuesday": false, "before:wednesday": true, "on:2026-11-24 churn": true, "on:2026-11-23": false,
	} {
		terms := search.Parse(text, search.Clock{Now: at(30, 12)})
		if got := During(terms, at(24, 9), at(24, 12)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
