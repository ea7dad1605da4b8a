package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

// A claim is what the window claims to show. See inspect.Claim.
type claim struct {
	Settled, Covered     bool
	Stops                int
	Mode                 string
	Current, Highlighted string
	Gallery              uint64
	Pictures             []claimed
	Over                 [][4]float64
}

type claimed struct {
	ID, Place  string
	Rect, Clip [4]float64
	Frame      int
	Laid       bool
}

// ask asks the window what it shows.
func (r *rig) ask() claim {
	r.t.Helper()
	return claimAt(r.t, r.socket)
}

// claimAt asks the window that serves a socket what it shows.
func claimAt(t *testing.T, socket string) (c claim) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
	require.NoError(t, err)
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if err := json.NewDecoder(conn).Decode(&c); err != nil {
		t.Fatalf("the window does not say what it shows: %v", err)
	}
	return c
}

// Timeouts for the window to read what it should show, and to draw it. A wrong picture stays
// wrong for longer.
const (
	readTime = 40 * time.Second
	drawTime = 5 * time.Second
)

// check waits until the window has settled, and compares it with the library. It returns what
// is wrong for longer than drawTime.
func (r *rig) check() (wrong []string) {
	r.t.Helper()
	read := time.Now().Add(readTime)
	var drawn time.Time // deadline for the current claim to be on the screen
	var last []claimed
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		c := r.ask()
		slices.SortFunc(c.Pictures, func(a, b claimed) int { return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.ID, b.ID)) })
		if c.Settled && !c.Covered {
			if wrong = r.compare(c); len(wrong) == 0 {
				return nil
			}
			if last == nil || !slices.Equal(c.Pictures, last) {
				drawn, last = time.Now().Add(drawTime), c.Pictures
			} else if time.Now().After(drawn) {
				return wrong
			}
		}
		if time.Now().After(read) {
			return append(wrong, fmt.Sprintf("the window does not settle: settled %v, covered %v, mode %s, %d pictures", c.Settled, c.Covered, c.Mode, len(c.Pictures)))
		}
		<-tick.C
	}
}

// compare compares everything that the window claims to show with its pixels, and returns the
// differences.
func (r *rig) compare(c claim) (wrong []string) {
	large := ""
	for _, p := range c.Pictures {
		if p.Place == "viewer" {
			large = p.ID
		}
		if fault := r.fault(c, p); fault != "" {
			wrong = append(wrong, fmt.Sprintf("%s at %.0f: %s: %s", p.Place, p.Rect, p.ID, fault))
		}
		r.compared++
	}
	if n := r.view()["matching"].(float64); n > 0 && len(c.Pictures) == 0 {
		wrong = append(wrong, fmt.Sprintf("%.0f images are in view, and none is shown", n))
	}
	if c.Mode == "viewer" {
		if large != c.Current {
			wrong = append(wrong, fmt.Sprintf("the viewer shows %q, and the current image is %q", large, c.Current))
		}
		if c.Highlighted != "" && c.Highlighted != c.Current {
			wrong = append(wrong, fmt.Sprintf("the filmstrip marks %q, and the current image is %q", c.Highlighted, c.Current))
		}
	}
	return wrong
}

// fault returns what is wrong with a picture on the screen, or "".
func (r *rig) fault(c claim, p claimed) string {
	m := r.bytesOf(p.ID)
	if m == nil {
		return "the library does not have it"
	}
	w, h := p.Rect[2], p.Rect[3]
	size := m.Bounds().Size()
	if wide, high := h*float64(size.X)/float64(size.Y), w*float64(size.Y)/float64(size.X); max(wide-w, w-wide) > 2.5 && max(high-h, h-high) > 2.5 {
		return fmt.Sprintf("it is %v large and stands in %.0f×%.0f", size, w, h)
	}
	s := r.sample(c, p, m)
	if s.hit(all) >= 85 && s.hit(left) >= 60 && s.hit(right) >= 60 && s.hit(top) >= 60 && s.hit(bottom) >= 60 {
		return ""
	}
	for id, other := range r.known { // find out which picture it is
		if o := r.sample(c, p, other); id != p.ID && o.hit(all) >= 90 {
			return "it is the picture of " + id
		}
	}
	return fmt.Sprintf("only %d %% of it are its own pixels; left %d, right %d, top %d, bottom %d", s.hit(all), s.hit(left), s.hit(right), s.hit(top), s.hit(bottom))
}

// Parts of a picture for which samples are counted.
const (
	all = iota
	left
	right
	top
	bottom
)

// samples holds, by part, the number of pixels that were compared, and of those that match.
type samples struct{ seen, good [5]int }

// hit returns the percentage of matching pixels. It is 100 if too few are visible.
func (s samples) hit(where int) int {
	if s.seen[where] < 4 {
		return 100
	}
	return 100 * s.good[where] / s.seen[where]
}

// sample compares points in the blocks of a picture with the screen.
func (r *rig) sample(c claim, p claimed, m image.Image) (s samples) {
	size := m.Bounds().Size()
	for i, fx := range within3(blocksAcross, p.Rect[2]) {
		for j, fy := range within3(blocksDown, p.Rect[3]) {
			x, y := p.Rect[0]+fx*p.Rect[2], p.Rect[1]+fy*p.Rect[3]
			if !inside(x, y, p.Clip, -2) || r.covered(x, y, c) {
				continue
			}
			at := image.Pt(int(x), int(y)).Add(r.at)
			if !at.In(image.Rect(0, 0, r.fb.w, r.fb.h)) {
				continue
			}
			want := color.RGBAModel.Convert(m.At(int(fx*float64(size.X)), int(fy*float64(size.Y)))).(color.RGBA)
			good := within(70, r.fb.at(at.X, at.Y), want)
			n, k := len(within3(blocksAcross, p.Rect[2])), len(within3(blocksDown, p.Rect[3]))
			for where, here := range [5]bool{true, i == 0, i == n-1, j == 0, j == k-1} {
				if here {
					s.seen[where]++
					if good {
						s.good[where]++
					}
				}
			}
		}
	}
	return s
}

func (r *rig) covered(x, y float64, c claim) bool {
	for _, o := range c.Over {
		if inside(x, y, o, 3) {
			return true
		}
	}
	return false
}

// within3 returns three positions in each of n blocks, as fractions of the total length, or
// only the middle of each if blocks are smaller than 10 pixels.
func within3(n int, length float64) (at []float64) {
	for i := range n {
		if length/float64(n) < 10 {
			at = append(at, (float64(i)+0.5)/float64(n))
			continue
		}
		for _, f := range []float64{0.2, 0.5, 0.8} {
			at = append(at, (float64(i)+f)/float64(n))
		}
	}
	return at
}

func inside(x, y float64, r [4]float64, by float64) bool {
	return x >= r[0]-by && y >= r[1]-by && x < r[0]+r[2]+by && y < r[1]+r[3]+by
}

// bytesOf returns the image with an id from the library, or nil if there is none.
func (r *rig) bytesOf(id string) image.Image {
	r.t.Helper()
	if m, ok := r.known[id]; ok {
		return m
	}
	if r.uris[id] == "" {
		for _, f := range r.files() {
			r.uris[f["image_id"].(string)] = f["resource_uri"].(string)
		}
	}
	uri := strings.TrimPrefix(r.uris[id], "jupyter://")
	if uri == "" {
		return nil
	}
	a, raw := do(r.t, r.e.request(r.t, http.MethodGet, "/api/resources/"+uri, nil))
	if a.StatusCode == http.StatusNotFound { // it was just moved to the trash
		return nil
	}
	m, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		r.t.Fatalf("%s: %s, %v", uri, a.Status, err)
	}
	r.known[id] = m
	return m
}
