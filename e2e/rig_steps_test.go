package e2e

import (
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A step is an action of the user, an assistant or a kernel. Its numbers are used modulo what
// exists at that time, so that a sequence still works if steps are removed.
type step struct {
	do   string
	a, b int
}

func (s step) String() string { return fmt.Sprintf("%s:%d:%d", s.do, s.a, s.b) }

// steps parses a sequence as printed by formatSteps.
func steps(text string) (all []step, err error) {
	for word := range strings.FieldsSeq(text) {
		part := strings.Split(word, ":")
		s := step{do: part[0]}
		if len(part) != 3 || moves[s.do].do == nil {
			return nil, fmt.Errorf("%q is no step", word)
		}
		if s.a, err = strconv.Atoi(part[1]); err == nil {
			s.b, err = strconv.Atoi(part[2])
		}
		if err != nil {
			return nil, fmt.Errorf("%q is no step: %w", word, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func formatSteps(all []step) string {
	var words []string
	for _, s := range all {
		words = append(words, s.String())
	}
	return strings.Join(words, " ")
}

// A move is a kind of step: its relative frequency, and what it does.
type move struct {
	often int
	do    func(r *rig, a, b int)
}

var moves map[string]move

func init() { // avoids an initialization cycle: moves refer to themselves by name
	moves = map[string]move{
		"draw":   {10, (*rig).draw},
		"update": {4, (*rig).update},
		"key":    {10, (*rig).press},
		"step":   {16, (*rig).stepOn},
		"wheel":  {10, (*rig).wheel},
		"open":   {10, (*rig).open},
		"back":   {5, func(r *rig, _, _ int) { r.gallery() }},
		"size":   {5, (*rig).resize},
		"rate":   {3, (*rig).rate},
		"filter": {3, (*rig).filter},
		"folder": {4, (*rig).folder},
		"sort":   {3, (*rig).sort},
		"trash":  {4, (*rig).trash},
		"select": {3, (*rig).choose},
		"theme":  {1, (*rig).theme},
		"zoom":   {3, (*rig).zoom},
		"stop":   {3, (*rig).halt},
	}
}

// random returns a random step.
func random(chance *rand.Rand) step {
	var names []string
	total := 0
	for name, m := range moves {
		names = append(names, name)
		total += m.often
	}
	slices.Sort(names)
	n := chance.IntN(total)
	for _, name := range names {
		if n -= moves[name].often; n < 0 {
			return step{name, chance.IntN(1000), chance.IntN(1000)}
		}
	}
	return step{}
}

// draw displays pictures in a session.
func (r *rig) draw(a, b int) {
	paths := paint(r.t, r.dir, r.painted, r.painted+1+b%24)
	r.painted += len(paths)
	r.execute(a, fmt.Sprintf("for p in %s: display(Image(filename=p))", list(paths)))
}

// update displays a figure in a session and updates it several times.
func (r *rig) update(a, b int) {
	paths := paint(r.t, r.dir, r.painted, r.painted+2+b%5)
	r.painted += len(paths)
	r.execute(a, fmt.Sprintf("h = None\nfor p in %s:\n  if h: h.update(Image(filename=p))\n  else: h = display(Image(filename=p), display_id=True)", list(paths)))
}

func list(paths []string) string {
	var quoted []string
	for _, p := range paths {
		quoted = append(quoted, strconv.Quote(p))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// press presses navigation keys in the gallery or the viewer.
func (r *rig) press(a, b int) {
	names := []string{"Home", "End", "Next", "Prior", "Down", "Up", "Right", "Left"}
	r.keys(slices.Repeat(names[a%len(names):a%len(names)+1], 1+b%3)...)
}

// stepOn moves quickly through pictures in the viewer.
func (r *rig) stepOn(a, b int) {
	if r.ask().Mode != "viewer" {
		r.open(a, b)
	}
	name := []string{"Right", "Right", "Right", "Left"}[a%4]
	xdo(r.t, append([]string{"key", "--delay", strconv.Itoa(10 * (b % 5))}, slices.Repeat([]string{name}, 1+b%12)...)...)
}

// wheel turns the mouse wheel over the pictures.
func (r *rig) wheel(a, b int) {
	x, y := r.size.X/2, r.size.Y*2/5
	xdo(r.t, "mousemove", "--window", r.window, strconv.Itoa(x), strconv.Itoa(y))
	xdo(r.t, "click", "--repeat", strconv.Itoa(1+b%25), "--delay", "5", strconv.Itoa(4+a%2))
}

func (r *rig) open(a, b int) {
	if f := r.pick(a); f != "" {
		r.e.call(r.t, "show_image_viewer", map[string]any{"path": f})
		if b%3 == 0 {
			r.keys("g")
		}
	}
}

func (r *rig) gallery() { r.e.call(r.t, "close_image_viewer", nil) }

var windowSizes = []image.Point{{1240, 740}, {900, 600}, {1060, 640}, {760, 700}, {1180, 560}}

func (r *rig) resize(a, _ int) {
	r.size = windowSizes[a%len(windowSizes)]
	xdo(r.t, "windowsize", "--sync", r.window, strconv.Itoa(r.size.X), strconv.Itoa(r.size.Y))
}

func (r *rig) rate(a, b int) {
	for i := range 1 + b%4 {
		if f := r.pick(a + 7*i); f != "" {
			r.e.call(r.t, "set_rating", map[string]any{"path": f, "rating": 1 + (a+i)%5})
		}
	}
}

func (r *rig) filter(a, b int) {
	if b%2 == 0 {
		r.e.call(r.t, "clear_rating_filter", nil)
		return
	}
	r.e.call(r.t, "filter_by_rating", map[string]any{"rating": a % 4, "op": []string{">=", "<="}[b%4/2]})
}

func (r *rig) folder(a, b int) {
	path := "jupyter://sessions/"
	if n := len(r.sessions); b%3 > 0 && n > 0 {
		path += r.sessions[slices.Sorted(keysOf(r.sessions))[a%n]] + "/"
	}
	r.e.call(r.t, "open_folder", map[string]any{"path": path})
}

func (r *rig) sort(a, b int) {
	by := []string{"created", "created", "rating", "name"}[a%4]
	r.e.call(r.t, "sort_thumbnails", map[string]any{"by": by, "order": []string{"desc", "asc"}[b%2]})
}

func (r *rig) choose(a, _ int) {
	if f := r.pick(a); f != "" {
		r.e.call(r.t, "select_file", map[string]any{"path": f})
	}
}

// trash moves the selection to the trash, and sometimes undoes that.
func (r *rig) trash(a, b int) {
	r.choose(a, b)
	r.keys("Delete")
	if b%3 == 0 {
		r.keys("ctrl+z")
	}
}

func (r *rig) theme(a, _ int) {
	r.e.call(r.t, "set_theme", map[string]any{"theme": []string{"dark", "light"}[a%2]})
}

// zoom zooms the picture in the viewer in or out, or fits it.
func (r *rig) zoom(a, b int) {
	r.keys(slices.Repeat([]string{[]string{"plus", "minus", "z", "k"}[a%4]}, 1+b%3)...)
}
