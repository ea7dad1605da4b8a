package pycode

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// A move is a place in code that changes the working directory.
type move struct {
	cell, line int
	to         string // "" if the code does not contain it as a literal
}

// movers change the working directory to their argument.
var movers = []string{"os.chdir", "os.fchdir", "contextlib.chdir"}

// move notes that the directory changes. A directory by a variable or a user's name is not followed.
func (f *finder) move(line int, to string) {
	if strings.ContainsAny(to, "~$*{") || strings.HasPrefix(to, "-") {
		to = ""
	}
	f.moves = append(f.moves, move{f.cell, line, to})
}

// follow makes the relative paths of hints those from the directory in which the kernel started. If it is not
// known where the code is by then, the path of what is read is not known either.
func (f *finder) follow() {
	dir, known, moves := "", true, f.moves
	slices.SortStableFunc(moves, func(a, b move) int { return cmp.Or(a.cell-b.cell, a.line-b.line) })
	for i := range f.found {
		h := &f.found[i]
		for len(moves) > 0 && cmp.Or(moves[0].cell-h.Cell, moves[0].line-h.Line) <= 0 {
			switch to := moves[0].to; {
			case absolute(to):
				dir, known = to, true
			case to == "":
				known = false
			default:
				dir = filepath.Join(dir, to)
			}
			moves = moves[1:]
		}
		relative := (h.Kind == Reads || h.Kind == Writes) && h.Path != "" && !absolute(h.Path) && !strings.Contains(h.Path, "://")
		switch {
		case relative && known:
			h.Path = filepath.ToSlash(filepath.Join(dir, h.Path))
		case relative && h.Kind == Reads:
			h.Path = ""
		}
	}
}

func absolute(path string) bool { return filepath.IsAbs(path) || strings.HasPrefix(path, "/") }
