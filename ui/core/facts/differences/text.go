package differences

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"easel/internal/tokens"
	"easel/internal/truncate"
)

// Limits of what a model reads.
const (
	Most      = 120 // tokens of the whole text
	mostFacts = 75  // tokens of what it says of the facts, if the code differs
	mostLine  = 90  // characters of a line of code
)

// Sentences has the words of changes in one language.
type Sentences struct {
	what map[What]string // %[1]s is the axis, %[2]s the series, %[3]s and %[5]s numbers
}

// The languages.
var (
	English = Sentences{what: map[What]string{
		AxesLost: "axes gone", AxesNew: "axes new", SeriesLost: "lost %[2]s", LegendLost: "legend lost %[2]s", SeriesNew: "new %[2]s",
		Title: "title", Label: "%[1]s label", Limits: "%[1]s axis", Scale: "%[1]s scale", Kind: "kind", Count: "n", Missing: "NaN",
		Least: "%[1]s min", Greatest: "%[1]s max", Values: "other values at %[3]s %[4]s points", Colour: "colour",
	}}
	Japanese = Sentences{what: map[What]string{
		AxesLost: "グラフが削除", AxesNew: "グラフが追加", SeriesLost: "%[2]s が消失", LegendLost: "凡例から %[2]s が消失", SeriesNew: "%[2]s が追加",
		Title: "タイトル", Label: "%[1]s のラベル", Limits: "%[1]s 軸の範囲", Scale: "%[1]s のスケール", Kind: "種類", Count: "n", Missing: "NaN",
		Least: "%[1]s の最小", Greatest: "%[1]s の最大", Values: "%[5]s 点のうち %[3]s 点の値が相違", Colour: "色",
	}}
)

// Say returns the changes in words, those of one series in one text.
func (w Sentences) Say(changes []Change) (list []string) {
	before := ""
	for _, c := range changes {
		whose := ""
		if c.Axes > 0 {
			whose = fmt.Sprintf("axes %d ", c.Axes)
		}
		switch c.What {
		case SeriesLost, LegendLost, SeriesNew:
		default:
			whose += c.Series
		}
		whose = strings.TrimSpace(whose)
		said := w.one(c)
		switch whose {
		case "":
			list = append(list, said)
		case before:
			list[len(list)-1] += "; " + said
		default:
			list = append(list, whose+": "+said)
		}
		before = whose
	}
	return list
}

// one returns one change in words.
func (w Sentences) one(c Change) string {
	all := strings.TrimPrefix(c.To, "of ")
	said := w.what[c.What]
	if strings.Contains(said, "%") {
		said = strings.NewReplacer("%[1]s", c.Axis, "%[2]s", c.Series, "%[3]s", c.From, "%[4]s", c.To, "%[5]s", all).Replace(said)
	}
	//exhaustive:ignore
	switch c.What {
	case SeriesLost, LegendLost, SeriesNew, Values:
		return said
	case Title, Label:
		return said + " " + quoted(c.From) + " → " + quoted(c.To)
	case AxesLost, AxesNew:
		if name := c.From + c.To; name != "" {
			return said + " " + quoted(name)
		}
		return said
	}
	none := func(s string) string {
		if s == "" {
			return "–"
		}
		return s
	}
	return said + " " + none(c.From) + " → " + none(c.To)
}

func quoted(s string) string { return strconv.Quote(truncate.Runes(s, 40)) }

// Text says what is different for a model, in at most [Most] tokens. known is false if it is not known what one of the plots shows.
func Text(code []Line, changes []Change, known bool) string {
	most := Most
	if len(code) > 0 {
		most = mostFacts
	}
	facts := "Facts: not known of both."
	if known {
		facts = filled("Facts: ", English.Say(changes), most, "no difference")
	}
	said := make([]string, len(code))
	for i, l := range code {
		said[i] = "- "
		if l.Added {
			said[i] = "+ "
		}
		said[i] += truncate.Runes(l.Text, mostLine)
	}
	return filled("Code: ", said, Most-tokens.In(facts)-1, "the same") + " " + facts
}

// filled joins as many texts as there is room for, and says how many more there are.
func filled(head string, list []string, most int, none string) string {
	if len(list) == 0 {
		return head + none + "."
	}
	text := head
	for i, s := range list {
		next := s
		if i > 0 {
			next = "; " + s
		}
		if i > 0 && tokens.In(text+next)+6 > most {
			return text + fmt.Sprintf("; %d more.", len(list)-i)
		}
		if i == 0 {
			for tokens.In(text+next)+6 > most && len(next) > 8 {
				next = truncate.Runes(next, utf8.RuneCountInString(next)*3/4)
			}
		}
		text += next
	}
	return text + "."
}
