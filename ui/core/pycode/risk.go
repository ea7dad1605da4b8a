package pycode

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A RiskKind says what code may do to others than its own kernel's memory.
type RiskKind string

// The kinds.
const (
	RiskFiles    RiskKind = "files"    // changes or deletes files
	RiskNetwork  RiskKind = "network"  // uses the network
	RiskPrograms RiskKind = "programs" // starts or ends other programs
	RiskPackages RiskKind = "packages" // installs or removes packages
	RiskSecrets  RiskKind = "secrets"  // reads credentials or the environment, or changes the environment
	RiskVariable RiskKind = "variable" // replaces a table that the user made
	RiskUnseen   RiskKind = "unseen"   // does what its text does not tell
)

// A Risk is a place in code because of which the user is asked.
type Risk struct {
	Kind RiskKind
	Line int    // from 1, in the cell
	What string // the function, module, command, file or variable, as the code names it
}

// A Folder is where a kernel works. Its zero value knows no files, so that each write is a risk.
type Folder struct {
	Path   string                 // absolute; "" if it is not on this machine
	Exists func(path string) bool // whether something has this path, which is relative to Path; may be nil
	// Read returns the text of a small file with this path, which is relative to Path; may be nil.
	Read func(path string) (text string, ok bool)
}

// A Follower reads the cells that run one after the other in one process of a kernel, and finds what is risky in the
// next one. Code only needs to mention something risky, wherever it does: as a call, as a value or under another
// name. A function is as risky as its text, where it is mentioned after its definition. What a Follower cannot
// follow is a risk. It is a seat belt: it protects from mistakes and the usual disguises, not from an attack that
// was written for it.
type Follower struct {
	folder Folder
	known  knowledge
}

// NewFollower returns a Follower of a kernel. whole means that it will see all cells of the process.
func NewFollower(folder Folder, whole bool) *Follower {
	return &Follower{folder, knowledge{
		meanings: make(map[string][]string), assigned: make(map[string]bool), defined: make(map[string]bool),
		carriers: make(map[string][]mention),
		aliases:  make(map[string]bool), changers: make(map[string]bool),
		values: make(map[string][]string), frames: make(map[string]bool), imported: make(map[string]bool), pinned: make(map[string]bool),
		paths: make(map[string]string), written: make(map[string]bool), partial: !whole,
	}}
}

// Learn notes a cell that runs before those that follow.
func (f *Follower) Learn(code string, byUser bool) {
	r := f.reader(code)
	r.byUser = byUser
	r.read()
	if byUser {
		r.noteFrames()
	}
	f.known = r.known
}

// Risks returns what is risky in a cell that is to run after those that the Follower has learnt: one risk for each
// kind and line, in the order of lines.
func (f *Follower) Risks(code string) []Risk {
	r := f.reader(code)
	r.read()
	slices.SortStableFunc(r.found, func(a, b mention) int { return a.Line - b.Line })
	var risks []Risk
	for _, m := range r.found {
		if !slices.ContainsFunc(risks, func(o Risk) bool { return o.Kind == m.Kind && o.Line == m.Line }) {
			risks = append(risks, m.Risk)
		}
	}
	return risks
}

func (f *Follower) reader(code string) *riskReader {
	return newRiskReader(plainLines(code), f.folder, f.known)
}

// newRiskReader returns a reader of code that runs with what is known.
func newRiskReader(code string, folder Folder, known knowledge) *riskReader {
	return &riskReader{code: code, folder: folder, known: known.clone(), generators: make(map[string]bool)}
}

// plainLines returns code with the line ends that Python sees.
func plainLines(code string) string {
	return strings.ReplaceAll(strings.ReplaceAll(code, "\r\n", "\n"), "\r", "\n")
}

// A knowledge is what is known of a kernel's names.
type knowledge struct {
	meanings map[string][]string  // modules and functions that a name was imported as, in full
	defined  map[string]bool      // names of functions and classes
	assigned map[string]bool      // names that were given a value, a function or a class
	carriers map[string][]mention // names of functions and values that are risky where they are mentioned
	values   map[string][]string  // what names may mean that were only given literal texts; unknown is among them if there is another
	paths    map[string]string    // of names that were given one path, with unknown parts
	frames   map[string]bool      // tables that the user made
	aliases  map[string]bool      // other names that mean such a table, or hold one
	changers map[string]bool      // functions that change a table that they are given
	written  map[string]bool      // files that cells have written, relative to the folder
	pinned   map[string]bool      // names of paths to which a function writes
	pathed   bool                 // modules may be found elsewhere
	imported map[string]bool      // unknown modules whose import the user was asked about
	moved    bool                 // the working directory may be another
	starred  bool                 // names were imported with *, from a harmless module
	escaped  bool                 // a risky function was given to one that may keep it
	injected bool                 // names may be defined that no cell defines, for example by another module
	outward  bool                 // a text was seen that can lead out of the folder
	partial  bool                 // cells may have run before
}

// hides reports whether a name that no cell has defined may be defined all the same.
func (k knowledge) hides() bool { return (k.partial || k.injected) && !k.starred }

// unknown stands for a value that is not a literal text.
const (
	unknown    = "\x00"
	hiddenText = "\x02" // one that is built so that it does not show
)

func (k knowledge) clone() knowledge {
	k.meanings, k.assigned, k.carriers = maps.Clone(k.meanings), maps.Clone(k.assigned), maps.Clone(k.carriers)
	k.values, k.frames, k.written = maps.Clone(k.values), maps.Clone(k.frames), maps.Clone(k.written)
	k.defined, k.aliases, k.changers = maps.Clone(k.defined), maps.Clone(k.aliases), maps.Clone(k.changers)
	k.paths, k.imported, k.pinned = maps.Clone(k.paths), maps.Clone(k.imported), maps.Clone(k.pinned)
	return k
}

// A mention is a risk, and whether what is risky remains in reach.
type mention struct {
	Risk
	loose bool   // as a value, or as an object that can do more
	said  bool   // it is an address in a text
	param string // of the function that names the file to write; "" if it is another file
	place int    // of that parameter, from 0; without self
	body  bool   // it is in a function's body, so that it is loose if the function is not called
}

// A riskReader reads one cell.
type riskReader struct {
	code   string
	folder Folder
	known  knowledge
	found  []mention

	folding    int             // expressions that are being folded, inside of each other
	inner      int             // magics and texts with code around the code
	local      map[string]bool // functions that the cell defines
	generators map[string]bool // functions that yield: a call runs nothing yet
	byUser     bool            // the user runs the cell
	depth      int             // of modules that import this one, in the folder
	blocks     []defBlock      // functions and classes around the current statement
	flat       []placedStatement
}

// A defBlock is a function or a class whose body is read.
type defBlock struct {
	params []string // names, without self
	given  bool     // it was given to a function by a decorator that may keep it
	column int
	names  []string // of itself and of what is around it; empty in a class around no function
	body   bool     // it is a function, whose body runs later
}

// A placedStatement is a statement with its place in the cell.
type placedStatement struct {
	tokens    []token
	source    string
	lines     int
	params    []string // of the function around it
	escapes   bool     // the function around it was given to another one, by a decorator
	decorates string   // the function that follows, of a decorator
	deferred  []string // names of the functions that run it later; nil if it runs now
}

// lineOf returns the line of a token.
func (p placedStatement) lineOf(t token) int {
	return p.lines + 1 + strings.Count(p.source[:min(t.at, len(p.source))], "\n")
}

// add notes a risk in a statement.
func (r *riskReader) add(p placedStatement, m mention) {
	r.known.escaped = r.known.escaped || p.escapes
	if p.deferred == nil {
		if len(r.found) < mostFound {
			r.found = append(r.found, m)
		}
		return
	}
	m.body = true
	m.loose = m.loose || r.generators[p.deferred[len(p.deferred)-1]]
	for _, n := range p.deferred {
		r.carry(n, m)
	}
}

// carry notes that a name is risky.
func (r *riskReader) carry(name string, m mention) {
	m.Line = 0 // of another cell, or of another place in this one
	if known := r.known.carriers[name]; len(known) < mostCarried && !slices.Contains(known, m) {
		r.known.carriers[name] = append(slices.Clip(known), m)
	}
}

// plainName returns a name as Python compares it.
func plainName(word string) string { return norm.NFKC.String(word) }

// inside returns a path relative to the folder, if it lies there.
func (f Folder) inside(path string) (string, bool) {
	if path == "" || strings.ContainsAny(path, "~$\x00:") || strings.Contains(path, `\`) {
		return "", false
	}
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(cmp.Or(f.Path, "/\x00"), path)
		if err != nil {
			return "", false
		}
		path = rel
	}
	path = filepath.ToSlash(filepath.Clean(path))
	return path, filepath.IsLocal(path)
}

// TakesData reports whether a path is that of a new file inside the folder, with data or a picture.
func (f Folder) TakesData(path string) bool {
	rel, ok := f.inside(path)
	return ok && f.data(rel) && !instructions.MatchString(rel) && !f.Exists(rel)
}

func (f Folder) data(rel string) bool {
	return f.Path != "" && f.Exists != nil && !hiddenPart(rel) && slices.Contains(dataFiles, strings.ToLower(filepath.Ext(rel)))
}

// inside returns a path relative to the folder, if it lies there and the code has not left it.
func (r *riskReader) inside(path string) (string, bool) {
	rel, ok := r.folder.inside(path)
	return rel, ok && !r.known.moved
}

// mayWrite reports whether a file may be written without a question: a new one with data, inside the folder, or one
// that this kernel's cells have made.
func (r *riskReader) mayWrite(path string) bool {
	rel, ok := r.inside(path)
	if !ok || !r.folder.data(rel) || instructions.MatchString(rel) || !r.known.written[rel] && r.folder.Exists(rel) {
		return false
	}
	r.known.written[rel] = true
	return true
}

// instructions matches files that assistants read as if the user had written them.
var instructions = regexp.MustCompile(`(?i)(?:^|/)(?:claude|agents?|gemini|copilot-instructions|conventions|rules|prompt|memory|skill)\.(?:md|txt)$`)

// resultFolder matches the usual names of folders for results.
var resultFolder = regexp.MustCompile(`(?i)(?:^|/)(?:out|outputs?|results?|fig(?:ure)?s?|plots?|images?|charts?|reports?|exports?|processed|summar(?:y|ies)|tmp|temp|cache)/`)

// sourceFolder matches the usual names of folders for what the user has collected.
var sourceFolder = regexp.MustCompile(`(?i)(?:^|/)(?:data|raw|inputs?|sources?|src|originals?|archive|backups?)/`)

// mayWriteNamed reports whether a file may be written without a question although a part of its name is not
// known: its folder is literal and inside, no text was seen that leads out of it, and it is a picture, or data beside which
// nothing of the user's should be.
func (r *riskReader) mayWriteNamed(word string, argument []token) bool {
	if r.known.outward || r.folder.Path == "" {
		return false
	}
	guess := r.guess(argument)
	begin, _, named := strings.Cut(guess, unknown)
	folder := begin[:strings.LastIndexByte(begin, '/')+1]
	if _, local := r.inside("./" + folder); !named || !local || hiddenPart(folder) || strings.Trim(guess, unknown) == "" {
		return false
	}
	ending := guess[strings.LastIndexByte(guess, '.')+1:]
	if word == "savefig" || slices.Contains(pictureFiles, ending) {
		return true
	}
	// A table must not replace the user's: it needs a folder for results, or a name that begins with the code's own text.
	return slices.Contains(dataFiles, "."+ending) && (resultFolder.MatchString(folder) || begin != folder && !sourceFolder.MatchString(folder))
}

func hiddenPart(path string) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.")
}

// TextRisk returns the risk of a literal text in code of any language: an address, a file with credentials, or code;
// "" if it has none.
func TextRisk(said string) (kind RiskKind, what string) {
	what = said
	if len(what) > 60 {
		what = strings.ToValidUTF8(what[:60], "") + "…"
	}
	switch {
	case secret.MatchString(said):
		return RiskSecrets, what
	case address.MatchString(said):
		return RiskNetwork, what
	case hiddenCode.MatchString(said):
		return RiskUnseen, what
	case programSetting.MatchString(said):
		return RiskPrograms, what
	}
	return "", ""
}
