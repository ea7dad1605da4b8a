package pycode

import (
	"cmp"
	"slices"
	"strings"
)

// A HintKind says why code may affect others, or may draw something else when it runs
// again.
type HintKind string

// The kinds. The first three are side effects.
const (
	Writes  HintKind = "writes"  // changes files
	Network HintKind = "network" // uses the network
	Shell   HintKind = "shell"   // starts other programs
	Random  HintKind = "random"  // uses random numbers without a seed
	Clock   HintKind = "clock"   // reads the date or the time
	Reads   HintKind = "reads"   // reads a file
)

// A Hint is a place in code that has an effect outside the kernel, or that may make its
// next run different. Names may mean something else, and calls can be hidden.
type Hint struct {
	Kind HintKind
	Cell int    // index of the cell
	Line int    // from 1, in the cell
	What string // the function or the command
	Path string // of the file or the address, if the code contains it as a literal; relative to where the kernel started
}

// Hints returns the hints in cells that run one after the other in one kernel. Imports
// and seeds of a cell count in those that follow.
func Hints(cells []string) []Hint {
	f := &finder{names: map[string]string{
		"np": "numpy", "pd": "pandas", "pl": "polars", "sns": "seaborn", "dt": "datetime", "tf": "tensorflow", "xr": "xarray",
		"Path": "pathlib.Path", "datetime": "datetime", "date": "datetime.date", "Timestamp": "pandas.Timestamp",
	}, seeded: make(map[string]bool)}
	for i, code := range cells {
		f.cell = i
		f.read(code, 0)
	}
	slices.SortStableFunc(f.found, func(a, b Hint) int { return cmp.Or(a.Cell-b.Cell, a.Line-b.Line) })
	if len(f.moves) > 0 {
		f.follow()
	}
	return f.found
}

// A finder collects hints.
type finder struct {
	cell   int
	names  map[string]string // what a name means, in full: np is numpy
	seeded map[string]bool   // generators of random numbers, by module
	found  []Hint
	moves  []move // of the working directory
}

// read reads the code of a cell, or of its end, which begins after so many lines.
func (f *finder) read(code string, lines int) {
	code = strings.ReplaceAll(code, "\r\n", "\n")
	trimmed := strings.TrimLeft(code, " \t\n")
	if strings.HasPrefix(trimmed, "%%") {
		skipped := len(code) - len(trimmed)
		head, rest, _ := strings.Cut(trimmed, "\n")
		lines += strings.Count(code[:skipped], "\n")
		f.magic(head, lines+1, rest)
		return
	}
	s := scan(code)
	line := func(at int) int { return lines + 1 + strings.Count(code[:min(at, len(code))], "\n") }
	for _, m := range s.magics {
		f.magic(m.text, line(m.at), "")
	}
	for _, st := range s.out {
		f.imports(st.tokens)
		for i := 0; i+1 < len(st.tokens); i++ { // files = !ls
			if st.tokens[i].is("=") && (st.tokens[i+1].is("!") || st.tokens[i+1].is("%")) {
				rest := code[st.tokens[i+1].at:]
				rest, _, _ = strings.Cut(rest, "\n")
				f.magic(rest, line(st.tokens[i+1].at), "")
			}
		}
		for _, c := range calls(st.tokens) {
			f.call(c, line(st.tokens[c.from].at), st.tokens)
		}
	}
}

// add adds a hint.
func (f *finder) add(kind HintKind, line int, what, path string) {
	if kind == Reads || kind == Writes {
		if strings.Contains(path, "://") && !strings.HasPrefix(path, "file://") {
			kind = Network
		}
	}
	f.found = append(f.found, Hint{Kind: kind, Cell: f.cell, Line: line, What: what, Path: path})
}

// magic reads a line in IPython's own syntax. Body is the rest of the cell of a cell magic.
func (f *finder) magic(text string, line int, body string) {
	if strings.HasPrefix(text, "!") {
		f.add(Shell, line, text, "")
		return
	}
	cell := strings.HasPrefix(text, "%%")
	name, rest, _ := strings.Cut(strings.TrimLeft(text, "%"), " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "time", "timeit", "capture", "prun":
		if cell {
			f.read(body, line)
		} else {
			f.read(rest, line-1)
		}
	case "bash", "sh", "script", "cmd", "system", "sx", "perl", "ruby":
		f.add(Shell, line, text, "")
	case "writefile", "file", "save", "notebook", "logstart", "store":
		f.add(Writes, line, text, rest)
	case "pip", "conda", "mamba", "uv":
		f.add(Network, line, text, "")
	case "cd", "pushd", "popd":
		f.move(line, strings.Trim(rest, `"'`))
	case "run", "load":
		f.add(Reads, line, "%"+name, strings.Trim(rest, `"'`))
	}
}

// imports takes note of what names an import statement defines.
func (f *finder) imports(tokens []token) {
	if len(tokens) < 2 {
		return
	}
	switch {
	case tokens[0].is("import"):
		for _, part := range split(tokens[1:]) {
			module, as := dotted(part)
			if as == "" {
				as, _, _ = strings.Cut(module, ".")
				module = as
			}
			f.names[as] = module
		}
	case tokens[0].is("from"):
		i := slices.IndexFunc(tokens, func(t token) bool { return t.is("import") })
		if i < 0 {
			return
		}
		from, _ := dotted(tokens[1:i])
		rest := slices.DeleteFunc(slices.Clone(tokens[i+1:]), func(t token) bool { return t.is("(") || t.is(")") })
		for _, part := range split(rest) {
			name, as := dotted(part)
			as = cmp.Or(as, name)
			f.names[as] = from + "." + name
		}
	}
}

// split splits tokens at commas.
func split(tokens []token) (parts [][]token) {
	from := 0
	for i := 0; i <= len(tokens); i++ {
		if i == len(tokens) || tokens[i].is(",") {
			if from < i {
				parts = append(parts, tokens[from:i])
			}
			from = i + 1
		}
	}
	return parts
}

// dotted reads "a.b as c".
func dotted(tokens []token) (path, as string) {
	for i, t := range tokens {
		if t.is("as") && i+1 < len(tokens) {
			return path, tokens[i+1].word
		}
		path += t.word
	}
	return path, ""
}

// full returns the full name of a function, as far as imports tell.
func (f *finder) full(c call) string {
	root := c.root()
	if meant, ok := f.names[root]; ok {
		root = meant
	}
	return strings.Join(append([]string{root}, c.path[1:]...), ".")
}

// stringOf returns the value of a literal string.
func stringOf(tokens []token) (string, bool) {
	var value strings.Builder
	for _, t := range tokens {
		if t.kind != text || !t.plain {
			return "", false
		}
		value.WriteString(t.word)
	}
	return value.String(), len(tokens) > 0
}

// pathArgument returns the literal path among the arguments of a call: the first one, or the one
// with a usual name. given is false if there is no such argument at all.
func (c call) pathArgument() (path string, given bool) {
	arg := c.positional()
	for _, key := range []string{
		"path_or_buf", "path", "filepath_or_buffer", "io", "fname", "file", "filename", "buf", "excel_writer",
		"source",
	} {
		if arg == nil {
			arg = c.named(key)
		}
	}
	if arg == nil {
		return "", false
	}
	if path, ok := stringOf(arg); ok {
		return path, true
	}
	// Path("a.csv") and similar
	for i, t := range arg {
		if t.is("Path") && i+2 < len(arg) && arg[i+1].is("(") && arg[i+2].kind == text && arg[i+2].plain {
			return arg[i+2].word, true
		}
	}
	return "", true
}
