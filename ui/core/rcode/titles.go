package rcode

import (
	"slices"
	"strconv"
	"strings"

	"easel/ui/core/pycode"
)

// Functions by what they draw: a whole plot with base graphics, or a value that is drawn when it is shown.
var (
	plotters = names(`plot plot.default plot.ts hist barplot boxplot pie curve image contour filled.contour persp pairs coplot matplot dotchart
		stripchart mosaicplot sunflowerplot symbols heatmap qqnorm biplot interaction.plot scatter.smooth smoothScatter spineplot cdplot
		fourfoldplot stars assocplot acf pacf lag.plot monthplot`)
	valued = names(`ggplot qplot quickplot xyplot bwplot histogram densityplot barchart dotplot levelplot contourplot cloud wireframe splom
		stripplot qq qqmath`)
	// repeating are words after which code may draw any number of plots, or none.
	repeating = names(`for while repeat if function lapply sapply vapply mapply Map apply walk map replicate switch do.call dev.off`)
)

func names(list string) map[string]bool {
	set := make(map[string]bool)
	for name := range strings.FieldsSeq(list) {
		set[name] = true
	}
	return set
}

// Titles returns the titles of the first plots that code draws, as far as they are certain without running it: a title is
// a string literal, and the code calls each plotting function once. Plots of base graphics on one page are one plot.
func Titles(code string) (known []string) {
	r := titleReader{saved: make(map[string]string), room: 1}
	for _, s := range statements(scan(code)) {
		if !r.read(s) {
			break
		}
	}
	return r.titles()
}

// A titleReader follows code from plot to plot.
type titleReader struct {
	done  []string
	saved map[string]string // titles of plots in variables
	page  []string          // titles of the plots on the page of base graphics; nil: it is empty
	room  int               // plots on a page

	functions []string // that the code defines
}

func (r *titleReader) titles() []string {
	r.turn()
	return r.done
}

// turn ends the page.
func (r *titleReader) turn() {
	if r.page != nil {
		said := slices.DeleteFunc(r.page, func(t string) bool { return t == "" })
		r.done, r.page = append(r.done, strings.Join(slices.Compact(said), pycode.Joined)), nil
	}
}

// read reads a statement, and reports whether what follows is certain.
func (r *titleReader) read(s []token) bool {
	target, s := assigned(s)
	if target != "" && (s[0].word == "function" || s[0].word == "\\") {
		r.functions = append(r.functions, target) // it draws when it is called
		return true
	}
	if slices.ContainsFunc(s, func(t token) bool { return !t.text && (repeating[t.word] || slices.Contains(r.functions, t.word)) }) {
		return false
	}
	title, entitled := titleOf(s)
	value, held := "", false
	for i, t := range s {
		called := i+1 < len(s) && s[i+1].word == "("
		switch word := bare(t); {
		case t.text:
		case called && (word == "par" || word == "layout"):
			r.turn()
			var ok bool
			if r.room, ok = cellsOf(s[i:]); !ok {
				return false
			}
		case called && word == "title" && r.page != nil:
			if last := &r.page[len(r.page)-1]; *last == "" {
				*last = title
			}
			return true
		case called && plotters[word]:
			if old, ok := r.drawsSaved(s[i:]); ok {
				value, held = old, true
				continue
			}
			if len(r.page) == r.room {
				r.turn()
			}
			r.page = append(r.page, title)
			return true
		case called && valued[word]:
			value, held = "", true
		case !called:
			if old, ok := r.saved[word]; ok && (i == 0 || s[i-1].word == "(" || s[i-1].word == "+") {
				value, held = old, true
			}
		}
	}
	if !held {
		return true
	}
	if entitled {
		value = title
	}
	if target != "" {
		r.saved[target] = value
		return true
	}
	r.turn()
	r.done = append(r.done, value)
	return true
}

// assigned returns the variable that a statement sets, or "", and the rest of the statement.
func assigned(s []token) (target string, rest []token) {
	if len(s) > 3 && s[1].word == "<" && s[2].word == "-" {
		return s[0].word, s[3:]
	}
	if len(s) > 2 && s[1].word == "=" {
		return s[0].word, s[2:]
	}
	return "", s
}

// drawsSaved reports whether tokens call a function with a plot in a variable, as plot(p) does, and returns its title.
func (r *titleReader) drawsSaved(s []token) (string, bool) {
	if len(s) < 4 || s[3].word != ")" {
		return "", false
	}
	old, ok := r.saved[s[2].word]
	return old, ok
}

// bare is the name of a token without its package.
func bare(t token) string { return t.word[strings.LastIndex(t.word, ":")+1:] }

// titleOf returns the last title that a statement gives a plot. entitled is whether it gives one, also one that is not literal.
func titleOf(s []token) (title string, entitled bool) {
	var stack []string
	for i, t := range s {
		switch {
		case t.text:
		case t.word == "(":
			caller := ""
			if i > 0 {
				caller = bare(s[i-1])
			}
			stack = append(stack, caller)
			if (caller == "ggtitle" || caller == "title") && i+1 < len(s) && (i+2 >= len(s) || s[i+2].word != "=") {
				title, entitled = literalAt(s, i+1), true
			}
		case t.word == ")" && len(stack) > 0:
			stack = stack[:len(stack)-1]
		case i+2 < len(s) && s[i+1].word == "=" && s[i+2].word != "=" && len(stack) > 0:
			in := stack[len(stack)-1]
			main := t.word == "main" && (plotters[in] || valued[in] || in == "title")
			if main || t.word == "title" && (in == "labs" || in == "opts") || t.word == "label" && in == "ggtitle" {
				title, entitled = literalAt(s, i+2), true
			}
		}
	}
	return title, entitled
}

// literalAt returns the string at an index if it is a whole argument, or "".
func literalAt(s []token, i int) string {
	if !s[i].text || i+1 < len(s) && s[i+1].word != "," && s[i+1].word != ")" {
		return ""
	}
	plain := strings.NewReplacer(`\'`, `'`, `\"`, `"`).Replace(s[i].word)
	said, err := strconv.Unquote(`"` + strings.ReplaceAll(plain, `"`, `\"`) + `"`)
	if err != nil {
		said = s[i].word
	}
	return strings.Join(strings.Fields(said), " ")
}

// cellsOf returns how many plots are on a page after a call of par() or layout(). ok is false if that is not literal.
func cellsOf(s []token) (n int, ok bool) {
	for i, t := range s {
		if (t.word == "mfrow" || t.word == "mfcol") && i+7 < len(s) && s[i+2].word == "c" {
			rows, err := number(s, i+4)
			columns, err2 := number(s, i+4+len(strconv.Itoa(rows))+1)
			return rows * columns, err == nil && err2 == nil && rows*columns > 0
		}
	}
	return 1, bare(s[0]) == "par" && !slices.ContainsFunc(s, func(t token) bool { return t.word == "old" || strings.HasPrefix(t.word, "op") })
}

// number reads the digits at an index, which are tokens of their own.
func number(s []token, i int) (int, error) {
	var digits strings.Builder
	for ; i < len(s) && len(s[i].word) == 1 && s[i].word[0] >= '0' && s[i].word[0] <= '9'; i++ {
		digits.WriteString(s[i].word)
	}
	return strconv.Atoi(digits.String())
}

// statements splits code at the ends of lines and semicolons that end a statement.
func statements(tokens []token) (all [][]token) {
	depth := 0
	var s []token
	line := 0
	for _, t := range tokens {
		ended := t.word == ";" && !t.text || t.line > line && len(s) > 0 && !goesOn(s[len(s)-1]) && t.word != "\n"
		if depth == 0 && ended {
			all, s = append(all, s), nil
		}
		if !t.text && (t.word == "\n" || t.word == ";" && depth == 0) {
			continue
		}
		line = t.line
		if !t.text {
			switch t.word {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth = max(depth-1, 0)
			}
		}
		s = append(s, t)
	}
	if len(s) > 0 {
		all = append(all, s)
	}
	return all
}

// joiners are characters after which a statement goes on.
const joiners = `+-*/^<>=!&|~,%:$@\`

// goesOn reports whether a statement goes on after a token at the end of a line.
func goesOn(t token) bool {
	return !t.text && len(t.word) == 1 && strings.Contains(joiners, t.word)
}
