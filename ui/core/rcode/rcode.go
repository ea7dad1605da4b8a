// Package rcode reads R code without running it, and finds what it may do to others than its own kernel's memory. It
// knows only words and strings. It never fails.
//
// # Goroutines
//
// The package starts none.
package rcode

import (
	"regexp"
	"slices"
	"strings"

	"easel/ui/core/pycode"
)

// A Follower reads the cells that run one after the other in one process of a kernel. A cell is risky if it mentions
// a function that is, calls by a name that cannot be seen, loads a package that is not known, or uses something that
// an earlier risky cell has defined.
type Follower struct {
	folder   pycode.Folder
	carriers map[string]pycode.Risk // functions that risky cells defined
}

// NewFollower returns a Follower of a kernel.
func NewFollower(folder pycode.Folder) *Follower {
	return &Follower{folder, make(map[string]pycode.Risk)}
}

// A token is a name, a string, or a character of the code.
type token struct {
	word string
	line int
	text bool
}

// scanner matches comments, strings, raw strings, quoted names, names with their package, and any other character.
var scanner = regexp.MustCompile("(?s)#[^\n]*|[rR]([\"'])(-*)([(\\[{])|\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`(?:[^`\\\\]|\\\\.)*`|[\\pL.][\\pL\\pN._]*(?:::?:?[\\pL.][\\pL\\pN._]*)?|\n|\\S")

func scan(code string) (tokens []token) {
	line := 1
	for code != "" {
		at := scanner.FindStringSubmatchIndex(code)
		if at == nil {
			return tokens
		}
		line += strings.Count(code[:at[0]], "\n")
		word, rest := code[at[0]:at[1]], code[at[1]:]
		t := token{word: word, line: line}
		switch {
		case at[2] >= 0: // a raw string
			closing := map[string]string{"(": ")", "[": "]", "{": "}"}[code[at[6]:at[7]]] + code[at[4]:at[5]] + code[at[2]:at[3]]
			body, after, _ := strings.Cut(rest, closing)
			t.word, t.text, rest = body, true, after
			line += strings.Count(body, "\n")
		case strings.HasPrefix(word, "#"):
			code = rest
			continue
		case len(word) > 1 && (word[0] == '"' || word[0] == '\''):
			t.word, t.text = word[1:len(word)-1], true
		case len(word) > 1 && word[0] == '`':
			t.word = word[1 : len(word)-1]
		}
		line += strings.Count(word, "\n")
		tokens = append(tokens, t)
		code = rest
	}
	return tokens
}

// Learn notes a cell that runs before those that follow.
func (f *Follower) Learn(code string, _ bool) {
	risks := f.Risks(code)
	if len(risks) == 0 {
		return
	}
	tokens := scan(code)
	for i, t := range tokens {
		if t.text || i+2 >= len(tokens) || !isName(t.word) {
			continue
		}
		assigned := tokens[i+1].word == "<" && tokens[i+2].word == "-" || tokens[i+1].word == "=" && (i == 0 || tokens[i-1].word == "\n")
		if assigned {
			f.carriers[t.word] = pycode.Risk{Kind: risks[0].Kind, What: risks[0].What}
		}
	}
}

func isName(word string) bool { return nameOnly.MatchString(word) }

var nameOnly = regexp.MustCompile(`^[\pL.][\pL\pN._]*$`)

// Risks returns what is risky in a cell: one risk for each kind and line, in the order of lines.
func (f *Follower) Risks(code string) (risks []pycode.Risk) {
	code = strings.ReplaceAll(strings.ReplaceAll(code, "\r\n", "\n"), "\r", "\n")
	add := func(kind pycode.RiskKind, line int, what string) {
		if !slices.ContainsFunc(risks, func(r pycode.Risk) bool { return r.Kind == kind && r.Line == line }) {
			risks = append(risks, pycode.Risk{Kind: kind, Line: line, What: what})
		}
	}
	tokens := scan(code)
	for i, t := range tokens {
		if t.text {
			if kind, what := pycode.TextRisk(t.word); kind != "" && !shown(tokens, i) {
				add(kind, t.line, what)
			} else if kind := kindOf(t.word); kind != "" && calledByName(tokens, i) {
				add(kind, t.line, t.word)
			}
			continue
		}
		word := t.word
		if pkg, name, ok := strings.Cut(word, ":"); ok && name != "" {
			word = strings.TrimLeft(name, ":")
			if !harmlessPackages[pkg] {
				add(pycode.RiskUnseen, t.line, t.word)
			}
			if kind := networkPackages[pkg]; kind != "" {
				add(kind, t.line, t.word)
			}
		}
		if named := i+1 < len(tokens) && tokens[i+1].word == "=" && i > 0 && (tokens[i-1].word == "(" || tokens[i-1].word == ","); named {
			continue
		}
		if r, ok := f.carriers[word]; ok {
			add(r.Kind, t.line, r.What+" in "+word)
		}
		switch kind := kindOf(word); {
		case word == "library" || word == "require" || word == "requireNamespace" || word == "loadNamespace" || word == "attachNamespace":
			if i+2 < len(tokens) && tokens[i+1].word == "(" {
				pkg := tokens[i+2].word
				if kind := networkPackages[pkg]; kind == "" && !harmlessPackages[pkg] && pkg != ")" {
					add(pycode.RiskUnseen, t.line, word+"("+pkg+")")
				}
			} else {
				add(pycode.RiskUnseen, t.line, word)
			}
		case writers[word] && f.writesData(tokens, i):
		case getters[word] && i+2 < len(tokens) && tokens[i+1].word == "(":
			// do.call usually gets a function by its own name
			if !tokens[i+2].text && (!strings.HasPrefix(word, "do") || i+3 < len(tokens) && tokens[i+3].word == "(") {
				add(pycode.RiskUnseen, t.line, word)
			}
		case kind != "":
			add(kind, t.line, t.word)
		}
	}
	return risks
}

// writesData reports whether a function, at an index, writes to a new file with data in the folder, whose name is literal.
func (f *Follower) writesData(tokens []token, i int) bool {
	if i+1 >= len(tokens) || tokens[i+1].word != "(" {
		return false
	}
	path, depth := "", 0
	for k := i + 1; k < len(tokens); k++ {
		switch {
		case tokens[k].text && depth == 1 && strings.Contains(tokens[k].word, "."):
			if path != "" {
				return false
			}
			path = tokens[k].word
		case tokens[k].word == "(":
			depth++
			if tokens[k-1].word == "paste0" || tokens[k-1].word == "paste" || tokens[k-1].word == "file.path" || tokens[k-1].word == "sprintf" {
				return false
			}
		case tokens[k].word == ")":
			if depth--; depth == 0 {
				return path != "" && f.folder.TakesData(path)
			}
		}
	}
	return false
}

// shown reports whether the string at an index is the argument of a function that shows it.
func shown(tokens []token, i int) bool {
	for k, depth := i-1, 0; k > 0; k-- {
		switch tokens[k].word {
		case ")":
			depth++
		case "(":
			if depth--; depth < 0 {
				return displayers[tokens[k-1].word]
			}
		}
	}
	return false
}

// calledByName reports whether the string at an index names a function that is called.
func calledByName(tokens []token, i int) bool {
	return i > 1 && (tokens[i-1].word == "," || tokens[i-1].word == "(" && (getters[tokens[i-2].word] || appliers[tokens[i-2].word]))
}
