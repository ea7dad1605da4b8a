package e2e

import (
	"fmt"
	"image"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

// A rig plays steps in an Easel with its window. After each step, it compares every picture
// that the window claims to show with the pixels on the screen and the library's bytes.
type rig struct {
	*hand
	j        *jupyter
	socket   string
	dir      string // directory of the pictures
	painted  int    // number of pictures that were displayed
	size     image.Point
	sessions map[int]string // by number
	known    map[string]image.Image
	uris     map[string]string
	compared int      // number of compared pictures
	wrong    []string // problems that the step itself has found
}

func keysOf(m map[int]string) iter.Seq[int] { return maps.Keys(m) }

// newRig starts an Easel for a rig.
func newRig(t *testing.T, j *jupyter, dir string) *rig {
	t.Helper()
	base := t.TempDir()
	r := &rig{
		j: j, dir: dir, socket: filepath.Join(base, "inspect"), size: windowSizes[0],
		sessions: make(map[int]string), known: make(map[string]image.Image), uris: make(map[string]string),
	}
	e := launch(t, options{base: base, window: true, bright: true, jupyter: j, inspect: r.socket})
	r.hand = newHand(t, e)
	r.resize(0, 0)
	r.find()
	return r
}

// stop ends the sessions and Easel.
func (r *rig) stop() {
	for _, id := range r.sessions {
		r.e.call(r.t, "session_delete", map[string]any{"session_id": id})
	}
	quit(r.t, r.e)
}

// execute runs code in one of three sessions, which it creates if necessary.
func (r *rig) execute(n int, code string) {
	r.t.Helper()
	n %= 3
	if r.sessions[n] == "" {
		r.sessions[n] = r.e.call(r.t, "session_create", nil)["session_id"].(string)
		code = "from IPython.display import Image, display\n" + code
	}
	x := r.e.call(r.t, "execute_code", map[string]any{"session_id": r.sessions[n], "code": code, "images": "none"})
	if x["status"] != "ok" { // the code only draws
		r.t.Fatalf("%s: %v", code, x)
	}
}

// pick returns the URI of an image in view, or "" if there is none.
func (r *rig) pick(n int) string {
	files := r.files()
	if len(files) == 0 {
		return ""
	}
	return files[n%len(files)]["resource_uri"].(string)
}

// play plays a step and returns what is wrong after it.
func (r *rig) play(s step) []string {
	r.t.Helper()
	r.wrong = nil
	moves[s.do].do(r, s.a, s.b)
	xdo(r.t, "mousemove", "--window", r.window, "3", "3") // avoid tooltips and hover effects on pictures
	if s.do == "size" {
		r.find() // the window may have moved
	}
	before := r.compared
	r.wrong = append(r.wrong, r.check()...)
	if r.view()["matching"].(float64) == 0 { // don't stay in an empty view
		r.e.call(r.t, "clear_rating_filter", nil)
		r.e.call(r.t, "open_folder", map[string]any{"path": "jupyter://sessions/"})
	}
	if os.Getenv("EASEL_RIG_LOG") != "" {
		r.t.Logf("%v: %d pictures, %v", s, r.compared-before, r.view())
	}
	return r.wrong
}

// replay plays a sequence in a new Easel. It returns what is wrong, and after how many steps.
func replay(t *testing.T, j *jupyter, dir string, all []step) (wrong []string, n int) {
	t.Helper()
	r := newRig(t, j, dir)
	defer r.stop()
	for i, s := range all {
		if wrong = r.play(s); len(wrong) > 0 {
			return wrong, i + 1
		}
	}
	return nil, len(all)
}

// shrink removes steps as long as the rest still fails, but not longer than until.
func shrink(t *testing.T, j *jupyter, dir string, all []step, until time.Time) []step {
	t.Helper()
	for size := len(all) / 2; size > 0; {
		smaller := false
		for at := 0; at < len(all)-1 && time.Now().Before(until); {
			less := append(append([]step{}, all[:at]...), all[min(at+size, len(all)):]...)
			if wrong, n := replay(t, j, dir, less); len(wrong) > 0 {
				all, smaller = less[:n], true
			} else {
				at += size
			}
		}
		if !smaller || size > len(all)/2 {
			size /= 2
		}
	}
	return all
}

// seconds returns a number of seconds from an environment variable, or the default.
func seconds(name string, otherwise int) time.Duration {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		otherwise = n
	}
	return time.Duration(otherwise) * time.Second
}

// TestWindowShowsWhatItClaims plays a random sequence of actions of the user, an assistant and
// kernels. EASEL_RIG_SECONDS and EASEL_RIG_SEED set the duration and the random seed.
// EASEL_RIG_STEPS is a printed sequence to replay instead.
func TestWindowShowsWhatItClaims(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	j, dir := startJupyter(t), t.TempDir()
	given, err := steps(os.Getenv("EASEL_RIG_STEPS"))
	require.NoError(t, err)
	if len(given) > 0 {
		if wrong, n := replay(t, j, dir, given); len(wrong) > 0 {
			t.Fatalf("after %d steps:\n  %s", n, strings.Join(wrong, "\n  "))
		}
		return
	}
	seed := int(seconds("EASEL_RIG_SEED", 1) / time.Second)
	chance := rand.New(rand.NewPCG(uint64(seed), 15))
	r := newRig(t, j, dir)
	end := time.Now().Add(seconds("EASEL_RIG_SECONDS", 12))
	all := []step{{"draw", 0, 23}, {"draw", 1, 23}, {"draw", 2, 11}}
	for i := 0; ; i++ {
		if i == len(all) {
			if time.Now().After(end) {
				break
			}
			all = append(all, random(chance))
		}
		wrong := r.play(all[i])
		if len(wrong) == 0 {
			continue
		}
		screen(t, fmt.Sprintf("rig-%d", seed))
		t.Errorf("seed %d, step %d, %v:\n  %s", seed, i+1, all[i], strings.Join(wrong, "\n  "))
		r.stop()
		all = shrink(t, j, dir, all[:i+1], time.Now().Add(seconds("EASEL_RIG_SHRINK", 240)))
		t.Fatalf("replay it with EASEL_RIG_STEPS=%q", formatSteps(all))
	}
	r.stop()
	t.Logf("seed %d: %d steps, %d pictures compared", seed, len(all), r.compared)
}
