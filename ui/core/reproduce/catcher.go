package reproduce

import (
	"cmp"
	"crypto/sha256"
	"regexp"
	"slices"

	"easel/jupyter/wire"
	"easel/ui/core/mimebundle"
)

// A caught is a figure of the replay, as package kernels would have added it to the library.
type caught struct {
	order    int // in which it was first displayed
	versions []version
}

// A version is what a figure showed, and the cell that displayed it.
type version struct {
	mimebundle.Content
	cell string // id of the execution
}

// A catcher collects the figures of a replay. It follows the recorder in package kernels.
type catcher struct {
	text  bool // tables and formulas are figures
	count int
	shown map[string]*caught // by display_id
	cell  *caughtCell
}

// mostText is how much of the text of a cell is compared, in bytes.
const mostText = 64 << 10

// A caughtCell is what one cell has shown.
type caughtCell struct {
	id        string
	drawn     []*caught // in the order in which the cell displayed or updated them
	sums      map[[sha256.Size]byte]*caught
	showing   []*caught // since the last clear_output
	cleared   []*caught // the next displays replace these
	clearNext bool
	text      []byte // of stdout, at most mostText
	result    string
}

func newCatcher(text bool) *catcher {
	return &catcher{text: text, shown: make(map[string]*caught), cell: &caughtCell{}}
}

// begin begins a cell.
func (c *catcher) begin(id string) {
	c.cell = &caughtCell{id: id, sums: make(map[[sha256.Size]byte]*caught)}
}

// output takes an output message.
func (c *catcher) output(m *wire.Message) {
	x := c.cell
	if m.Type() == "clear_output" {
		var o wire.ClearOutput
		if m.Decode(&o) == nil && o.Wait {
			x.clearNext = true
		} else {
			c.clear()
		}
		return
	}
	if x.clearNext && isOutput(m) && m.Type() != "update_display_data" {
		c.clear()
	}
	switch m.Type() {
	case "stream":
		var s wire.Stream
		if m.Decode(&s) == nil && s.Name != "stderr" {
			x.text = append(x.text, s.Text[:min(len(s.Text), mostText-len(x.text))]...)
		}
	case "execute_result":
		var d wire.DisplayData
		if m.Decode(&d) == nil {
			x.result = cmp.Or(mimebundle.Text(d.Data, "text/plain"), x.result)
			c.display(d, false)
		}
	case "display_data", "update_display_data":
		var d wire.DisplayData
		if m.Decode(&d) == nil {
			c.display(d, m.Type() == "update_display_data")
		}
	}
}

func (c *catcher) clear() {
	x := c.cell
	x.cleared, x.showing, x.clearNext = append(x.cleared, x.showing...), nil, false
	x.text, x.result = nil, ""
}

func (c *catcher) display(d wire.DisplayData, update bool) {
	content := mimebundle.Read(d.Data, d.Metadata)
	if len(content.Forms) == 0 && c.text {
		content = mimebundle.ReadText(d.Data)
	}
	id, x := d.Transient.DisplayID, c.cell
	former, known := c.shown[id]
	if len(content.Forms) == 0 {
		if id != "" && !known && !update {
			c.shown[id] = nil // an update may contain a picture
		}
		return
	}
	var f *caught
	switch {
	case update && known:
		if !c.shared(id, former) {
			f = former
		}
	case update:
		return
	case len(x.cleared) > 0:
		f, x.cleared = x.cleared[0], x.cleared[1:]
	}
	sum := sha256.Sum256(content.Forms[0].Data)
	if f == nil {
		if same := x.sums[sum]; same != nil {
			if id != "" {
				c.shown[id] = same
			}
			return
		}
		c.count++
		f = &caught{order: c.count}
	}
	x.sums[sum] = f
	f.versions = append(f.versions, version{content, x.id})
	if id != "" {
		c.shown[id] = f
	}
	if !slices.Contains(x.drawn, f) {
		x.drawn = append(x.drawn, f)
	}
	if !slices.Contains(x.showing, f) {
		x.showing = append(x.showing, f)
	}
}

// shared reports whether another display shows the figure, too.
func (c *catcher) shared(id string, f *caught) bool {
	for other, o := range c.shown {
		if other != id && o == f && f != nil {
			return true
		}
	}
	return false
}

// figures returns what the cell has drawn, as library.Images.DrawnBy does: the figures in
// the order in which they were first displayed, each with its versions in this cell.
func (x *caughtCell) figures() [][]mimebundle.Content {
	drawn := slices.Clone(x.drawn)
	slices.SortFunc(drawn, func(a, b *caught) int { return a.order - b.order })
	all := make([][]mimebundle.Content, len(drawn))
	for i, f := range drawn {
		for _, v := range f.versions {
			if v.cell == x.id {
				all[i] = append(all[i], v.Content)
			}
		}
	}
	return all
}

// address matches what differs in each run of the same code: addresses in the memory.
var address = regexp.MustCompile(`0x[0-9a-fA-F]+`)

func masked(text string) string { return address.ReplaceAllString(text, "0x") }
