package window

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A deed is one step of a person, or of an assistant meanwhile: what, and a number that
// chooses among the possibilities.
type deed struct {
	what string
	n    int
}

func (d deed) String() string { return fmt.Sprintf("%s:%d", d.what, d.n) }

// deedsOf reads what String of a list of deeds has written.
func deedsOf(t *testing.T, steps string) (all []deed) {
	t.Helper()
	for s := range strings.FieldsSeq(steps) {
		what, number, _ := strings.Cut(s, ":")
		n, err := strconv.Atoi(number)
		if _, ok := deeds[what]; !ok || err != nil {
			t.Fatalf("EASEL_PERSON_STEPS: %q is no step; want NAME:NUMBER", s)
		}
		all = append(all, deed{what, n})
	}
	return all
}

// stepsOf is the reverse of deedsOf.
func stepsOf(all []deed) string { return strings.Trim(fmt.Sprint(all), "[]") }

// often has the deeds as often as they are chosen.
var often = []string{
	"click", "click", "click", "add", "right", "all", "key", "key", "key", "key", "delete", "restore", "undo", "undo", "undo", "redo", "redo",
	"arrive", "arrive", "version", "assistant", "filter", "trash", "gallery", "theme", "language", "page", "tag", "title", "note", "note", "leave", "restart",
	"open", "right", "escape", "escape", "compare", "search", "purge", "empty", "look", "ask", "ask", "edit", "approve", "deny",
	"name", "name", "half", "half", "finish", "finish", "find", "double", "shift", "star", "star", "band", "menu", "burst", "quick", "quick", "hide", "visit",
	"fullscreen", "panel", "show", "ends", "space", "best", "tagged", "sort", "session", "shred",
}

// always has sequences that chance takes too seldom.
var always = []string{
	"click:0 note:5 restart:0", // quits in the middle of a note
	"click:2 arrive:0 key:3 note:1 arrive:0 key:2 version:2 language:1 theme:1 leave:0 undo:0 undo:0",
	"assistant:1 all:0 key:3 delete:0 undo:0 arrive:0 undo:0 redo:0 redo:0",
	"click:0 title:4 add:1 compare:0 undo:0 theme:1 key:3 escape:0",                                           // renames while it compares
	"search:7 undo:0 key:1 search:11 theme:1 delete:0 trash:0 click:0 open:0 note:2 theme:0 language:1 key:4", // opens a plot in the trash
	"click:0 key:4 click:1 note:3 click:2 name:2 finish:0 delete:0 trash:0 all:0 restore:0 gallery:0 click:0 key:5 delete:0 trash:0 click:0 restore:0",
	"note:4 burst:0 key:2 leave:0 name:1 arrive:0 key:3 burst:0 finish:0 half:5 arrive:0 finish:0 leave:0 look:0",                              // about the newest plot
	"click:1 half:2 theme:1 arrive:0 click:2 half:3 version:3 click:1 half:4 finish:0 undo:0 name:1 theme:0 escape:0 name:2 burst:0 restart:0", // unfinished texts
	"half:0 version:0 leave:0 version:0 half:1 version:0 finish:0 undo:0",                                                                      // of a figure that is updated
	"click:0 fullscreen:0 escape:0", // full screen with the grid
	"click:2 star:8 all:0 star:30 key:2 click:0 fullscreen:0 open:0 title:1 quick:0 escape:0 ask:0 fullscreen:0 half:1 edit:0 approve:0 note:2 hide:0 visit:3",
	"ask:0 edit:0 key:3 theme:1 key:2 arrive:0 approve:0 ask:0 click:0 note:1 language:1 deny:0 purge:0 empty:0",
}

const (
	// perSequence is the number of deeds after which everything is undone and redone.
	perSequence = 40
	// mostChanges is the largest number of changes in them.
	mostChanges = 4 * perSequence
)

// TestAPerson does random deeds in the window of a real core, and compares what is selected,
// focused and kept with what the person expects; see [person]. A failing sequence is
// shortened and printed, to be repeated with EASEL_PERSON_STEPS. EASEL_PERSON_SEQUENCES and
// EASEL_PERSON_SEED set how many there are, and which.
func TestAPerson(t *testing.T) {
	if steps := os.Getenv("EASEL_PERSON_STEPS"); steps != "" {
		if wrong := live(t, deedsOf(t, steps)); wrong != "" {
			t.Fatal(wrong)
		}
		return
	}
	for _, steps := range always {
		if wrong := live(t, deedsOf(t, steps)); wrong != "" {
			t.Errorf("%s\nEASEL_PERSON_STEPS=%q", wrong, steps)
		}
	}
	seed := number("EASEL_PERSON_SEED", 1)
	for run := range number("EASEL_PERSON_SEQUENCES", 1) {
		r := rand.New(rand.NewPCG(uint64(seed), uint64(run)))
		all := make([]deed, perSequence)
		for i := range all {
			all[i] = deed{often[r.IntN(len(often))], r.IntN(100)}
		}
		if wrong := live(t, all); wrong != "" {
			t.Logf("sequence %d of seed %d: %s\nEASEL_PERSON_STEPS=%q", run, seed, wrong, stepsOf(all))
			all, wrong = shorten(t, all, wrong)
			t.Fatalf("shortened: %s\nEASEL_PERSON_STEPS=%q", wrong, stepsOf(all))
		}
		if (run+1)%50 == 0 {
			t.Logf("%d sequences of seed %d", run+1, seed)
		}
	}
}

// mostTries is how many shorter sequences are tried.
const mostTries = 60

// shorten returns the shortest part of the deeds that it finds to go wrong, too. It first
// leaves out many, then single ones.
func shorten(t *testing.T, all []deed, wrong string) (shortest []deed, how string) {
	t.Helper()
	tries := 0
	for size := len(all) / 2; size > 0; size /= 2 {
		for from := 0; from+size <= len(all) && tries < mostTries; tries++ {
			shorter := slices.Delete(slices.Clone(all), from, from+size)
			if w := live(t, shorter); w != "" {
				all, wrong = shorter, w
			} else {
				from += size
			}
		}
	}
	return all, wrong
}

// live does deeds, then undoes and redoes everything, and starts Easel again. It returns
// what was wrong first; "" if nothing was. It is a test of its own, so that nothing of a life
// is left in memory after it.
func live(t *testing.T, all []deed) (wrong string) {
	t.Helper()
	if !t.Run("life", func(t *testing.T) { wrong = lived(t, all) }) && wrong == "" {
		return "it does not go on; see above"
	}
	return wrong
}

func lived(t *testing.T, all []deed) (wrong string) {
	t.Helper()
	p := newPerson(t)
	defer p.stop()
	for i, d := range all {
		if wrong := p.do(d); wrong != "" {
			return fmt.Sprintf("step %d, %s: %s", i+1, d, wrong)
		}
	}
	for _, end := range []string{"leave", "look", "gallery", "undo all", "redo all", "restart", "look"} {
		if wrong := p.do(deed{end, 0}); wrong != "" {
			return fmt.Sprintf("at the end, %s: %s", end, wrong)
		}
	}
	return ""
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
