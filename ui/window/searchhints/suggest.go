package searchhints

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"easel/ui/core/library"
	"easel/ui/core/library/search"
)

// Vocabulary is what completions are made of.
type Vocabulary struct {
	Clients, Sessions, Tags []string
	Searches                []SavedSearch
}

// A SavedSearch is a search that the user has named.
type SavedSearch struct{ Name, Text string }

// A Suggestion is a way to go on with a search.
type Suggestion struct {
	Label string // what is offered: a text or a message ID
	Note  string // what it means, likewise; may be empty
	Text  string // the search with it
	Caret int    // where the caret is then, in characters
	Done  bool   // nothing remains to be typed
}

// most is the largest number of suggestions for a term.
const most = 8

// A Preset is a term that is offered first, and the message ID of what it means.
type Preset struct{ Note, Term string }

// Presets returns the times that are offered first.
func Presets() []Preset {
	return []Preset{{"find.last_hour", "after:1h"}, {"find.today", "on:today"}, {"find.yesterday", "on:yesterday"}, {"find.new", "is:new"}}
}

// PresetNote returns the message ID of what a term means if it is one that is offered, or "".
func PresetNote(term string) string {
	for _, p := range Presets() {
		if p.Term == term {
			return p.Note
		}
	}
	return ""
}

// Suggest returns suggestions for a text and a caret, which is a number of characters.
func Suggest(text string, caret int, known Vocabulary) []Suggestion {
	if strings.TrimSpace(text) == "" {
		return offers(known)
	}
	at := offset(text, caret)
	for _, t := range search.Parse(text, search.Clock{}) {
		if t.Start < at && at <= t.End {
			return complete(text, t, at, known)
		}
	}
	return nil
}

// offset returns the position of a character in bytes.
func offset(text string, caret int) int {
	for i := range text {
		if caret == 0 {
			return i
		}
		caret--
	}
	return len(text)
}

// offers returns what can be searched for.
func offers(known Vocabulary) (all []Suggestion) {
	for _, s := range known.Searches {
		all = append(all, Suggestion{Label: s.Name, Note: s.Text, Text: s.Text, Done: true})
	}
	for _, p := range Presets() {
		all = append(all, Suggestion{Label: p.Note, Note: p.Term, Text: p.Term, Done: true})
	}
	for _, key := range search.Keys {
		if key != search.Is { // a preset
			all = append(all, keyed("", "", key))
		}
	}
	return all
}

// keyed is the suggestion of a key between two parts of a text.
func keyed(before, after string, key search.Key) Suggestion {
	term := string(key) + ":"
	return Suggestion{Label: term, Note: "find.key." + string(key), Text: before + term + after, Caret: utf8.RuneCountInString(before + term)}
}

// complete returns the suggestions for the term with the caret.
func complete(text string, t search.Term, at int, known Vocabulary) (all []Suggestion) {
	before, typed := text[:t.Start], text[t.Start:at]
	if t.Not {
		before, typed = before+"-", typed[1:]
	}
	after := text[t.End:]
	if t.Key == search.Word {
		if t.Problem != search.Fine || typed == "" || strings.HasPrefix(typed, `"`) {
			return nil
		}
		for _, key := range search.Keys {
			if strings.HasPrefix(string(key), search.Fold(typed)) {
				all = append(all, keyed(before, after, key))
			}
		}
		return all
	}
	_, value, _ := strings.Cut(strings.ReplaceAll(typed, "：", ":"), ":")
	value = search.Fold(strings.TrimSpace(strings.TrimPrefix(value, `"`)))
	if strings.TrimSpace(after) == "" {
		after = " "
	}
	for _, v := range values(t.Key, known) {
		folded := search.Fold(v)
		if !strings.Contains(folded, value) {
			continue
		}
		if folded == value && value == t.Folded { // it is complete
			return nil
		}
		term := search.Write(t.Key, v)
		gap := " "
		if strings.HasPrefix(after, " ") {
			gap = ""
		}
		all = append(all, Suggestion{
			Label: term, Note: notes[string(t.Key)+":"+v], Text: before + term + gap + after, Caret: utf8.RuneCountInString(before+term) + 1,
		})
	}
	slices.SortStableFunc(all, func(a, b Suggestion) int { return beginning(b, t.Key, value) - beginning(a, t.Key, value) })
	return all[:min(len(all), most)]
}

// beginning returns 1 if the value of a suggestion begins with a folded text, else 0.
func beginning(s Suggestion, key search.Key, value string) int {
	if strings.HasPrefix(search.Fold(strings.Trim(strings.TrimPrefix(s.Label, string(key)+":"), `"`)), value) {
		return 1
	}
	return 0
}

// During reports whether the times of a search allow plots of a session, which was from one time to another.
func During(terms search.Terms, from, to time.Time) bool {
	days, among := 0, false
	for _, t := range terms {
		if t.Not || t.Problem != search.Fine {
			continue
		}
		switch t.Key {
		case search.After:
			if to.Before(t.From) {
				return false
			}
		case search.Before:
			if !from.Before(t.From) {
				return false
			}
		case search.On:
			days++
			among = among || from.Before(t.To) && !to.Before(t.From)
		default:
		}
	}
	return days == 0 || among
}

// notes are the message IDs of what values mean.
var notes = map[string]string{
	"after:1h": "find.last_hour", "on:today": "find.today", "on:yesterday": "find.yesterday", "is:new": "find.new",
	"has:note": "find.has.note", "has:findings": "find.has.findings", "has:error": "find.has.error", "has:tags": "find.has.tags",
	"has:stars": "find.has.stars", "has:data": "find.has.data",
}

// values returns the values that are offered for a key.
func values(key search.Key, known Vocabulary) []string {
	switch key {
	case search.Client:
		return known.Clients
	case search.Session:
		return known.Sessions
	case search.Tag:
		return known.Tags
	case search.Stars:
		return []string{">=4", ">=3", "5", "4", "3", "2", "1", "0"}
	case search.Kind:
		return search.Kinds
	case search.Has:
		return search.Things
	case search.Is:
		return []string{search.New}
	case search.After, search.Before:
		return []string{"today", "yesterday", "1h", "09:00", "12:00", "monday", "7d", "last-week"}
	case search.On:
		return []string{
			"today", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "week",
			"last-week", "month",
		}
	case search.Word:
	}
	return nil
}

// Clients returns the names of the clients of sessions, without their versions, the newest first.
func Clients(all []library.Session) (names []string) {
	for _, x := range all {
		for client := range strings.SplitSeq(x.Client+"\n"+x.Clients, "\n") {
			if name := clientName(client); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// clientName returns the name of a client without its version.
func clientName(client string) string {
	i := strings.LastIndexByte(client, ' ')
	if i > 0 && i+1 < len(client) && unicode.IsDigit(rune(client[i+1])) {
		return client[:i]
	}
	return client
}
