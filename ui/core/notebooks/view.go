package notebooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"easel/internal/truncate"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/mimebundle"
	"easel/ui/core/picture"
)

// Limits of what View returns, in bytes.
const (
	viewTotal  = 200_000 // of all cells
	viewSource = 50_000  // of a cell's text
	briefText  = 1_000   // of an output's text, with catalog.OutputsBrief
	maxOutputs = 50      // number of outputs of a cell, likewise
)

// A Look says how View shows cells.
type Look struct {
	Outputs string // catalog.OutputsNone, OutputsBrief or OutputsFull
	Offset  int    // bytes of the first cell's outputs to skip, with OutputsFull
	Page    int    // bytes of each cell's outputs, with OutputsFull
}

// View returns the cells at indexes, as the tools return them. A cell says what was
// truncated. If the total limit ends the list early, notes says so.
func (n *Notebook) View(indexes []int, l Look) (cells []catalog.NotebookCell, notes []string) {
	cells = []catalog.NotebookCell{}
	budget := viewTotal
	for _, i := range indexes {
		if budget <= 0 {
			notes = append(notes, fmt.Sprintf("only %d cells fit into the answer", len(cells)))
			break
		}
		cells = append(cells, n.Cells[i].view(i, l, &budget))
		l.Offset = 0
	}
	return cells, notes
}

// header returns the cell without outputs.
func (c *Cell) header(index int) catalog.NotebookCell {
	v := catalog.NotebookCell{Index: index, CellID: c.id, CellType: c.Type(), Source: c.Source()}
	if n := c.ExecutionCount(); n > 0 {
		v.ExecutionCount = &n
	}
	return v
}

func (c *Cell) view(index int, l Look, budget *int) catalog.NotebookCell {
	v := c.header(index)
	var cut catalog.TruncatedCell
	if len(v.Source) > viewSource {
		cut.SourceBytes = len(v.Source)
		v.Source = truncate.Middle(v.Source, viewSource)
	}
	*budget -= len(v.Source) + 100
	switch {
	case l.Outputs == catalog.OutputsNone || v.CellType != Code:
	case l.Outputs == catalog.OutputsFull:
		v.Outputs, cut.NextOffset = c.page(l, budget)
	default:
		all := c.Outputs()
		for i, raw := range all {
			if *budget <= 0 || i >= maxOutputs {
				cut.Outputs = len(all) - i
				break
			}
			o := viewOutput(raw, false, budget)
			o.Index = i
			v.Outputs = append(v.Outputs, o)
		}
	}
	if cut != (catalog.TruncatedCell{}) {
		v.Cut = &cut
	}
	return v
}

// page returns the cell's outputs from l.Offset on, at most l.Page bytes of their texts, and
// the offset of the rest; 0 if there is none.
func (c *Cell) page(l Look, budget *int) (shown []catalog.CellOutput, next int) {
	from, to := l.Offset, l.Offset+l.Page
	at := 0 // offset of the current output
	for i, raw := range c.Outputs() {
		limit := max(l.Page, briefText)
		left := limit
		o := viewOutput(raw, true, &left)
		o.Index = i
		text, total := o.Text, max(len(o.Text), o.TotalBytes)
		if total > len(text) { // viewOutput has shortened it
			text = outputText(raw)
		}
		begin, end := min(max(from-at, 0), len(text)), min(max(to-at, 0), len(text))
		size := max(len(text), 1) // an output without text is on one page, too
		switch {
		case at+size <= from:
		case at >= to || *budget <= 0:
			return shown, max(at, from)
		default:
			begin, end = len(truncate.TrimEnd(text[:begin])), len(truncate.TrimEnd(text[:end]))
			o.Text, o.TotalBytes = text[begin:end], 0
			if len(o.Text) < len(text) {
				o.TotalBytes = len(text)
			}
			*budget -= limit - left
			shown = append(shown, o)
			if end < len(text) {
				return shown, at + end
			}
		}
		at += size
	}
	return shown, 0
}

// outputText returns the whole text of an output, as viewOutput shows it.
func outputText(raw json.RawMessage) string {
	all := len(raw) + briefText
	return viewOutput(raw, true, &all).Text
}

// outputTypes lists the output types of nbformat.
var outputTypes = []string{"stream", "display_data", "execute_result", "error"}

// viewOutput returns one output: its texts within the budget, which it reduces, and the
// type and size of other data.
func viewOutput(raw json.RawMessage, full bool, budget *int) catalog.CellOutput {
	var o struct {
		OutputType string            `json:"output_type"`
		Name       string            `json:"name"`
		Text       json.RawMessage   `json:"text"`
		Data       object            `json:"data"`
		Ename      string            `json:"ename"`
		Evalue     string            `json:"evalue"`
		Traceback  []json.RawMessage `json:"traceback"`
	}
	if err := json.Unmarshal(raw, &o); err != nil || !slices.Contains(outputTypes, o.OutputType) {
		return catalog.CellOutput{OutputType: "unknown"}
	}
	limit := briefText
	if full {
		limit = max(*budget, briefText)
	}
	v := catalog.CellOutput{OutputType: o.OutputType, Name: o.Name, Ename: o.Ename}
	v.Evalue = truncate.Middle(o.Evalue, limit)
	switch o.OutputType {
	case "stream":
		v.Text, _ = lines(o.Text)
	case "error":
		parts := make([]string, len(o.Traceback))
		for i, t := range o.Traceback {
			parts[i], _ = lines(t)
		}
		v.Text = mimebundle.Plain(strings.Join(parts, "\n"))
	default:
		v.Text, _ = lines(o.Data["text/plain"])
	}
	if len(v.Text) > limit {
		v.Text, v.TotalBytes = truncate.Middle(v.Text, limit), len(v.Text)
	}
	*budget -= len(v.Text) + 100
	for _, mime := range slices.Sorted(maps.Keys(o.Data)) {
		if mime != "text/plain" {
			v.Data = append(v.Data, viewForm(mime, o.Data[mime], full, budget))
		}
	}
	return v
}

func viewForm(mime string, raw json.RawMessage, full bool, budget *int) catalog.OutputForm {
	f := catalog.OutputForm{MIMEType: mime, Bytes: len(raw)}
	if strings.HasPrefix(mime, "image/") && mime != "image/svg+xml" {
		if data, err := wire.Base64(raw); err == nil {
			f.Bytes, f.Sum = len(data), Sum(data)
			if _, w, h, err := picture.Sniff(data); err == nil {
				f.Width, f.Height = w, h
			}
		}
		return f
	}
	text, ok := lines(raw)
	if ok {
		f.Bytes = len(text)
	} else {
		text = string(raw) // JSON
	}
	if mime == picture.SVG {
		f.Sum = Sum([]byte(text))
	}
	if full && isText(mime) && len(text) <= *budget {
		f.Text = text
		*budget -= len(text)
	}
	*budget -= 100
	return f
}

// Sum returns the SHA-256 of data in hexadecimal.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// isText reports whether data of a MIME type is text that a model can read.
func isText(mime string) bool {
	return strings.HasPrefix(mime, "text/") || mime == "image/svg+xml" || mime == "application/javascript" ||
		mime == "application/json" || strings.HasSuffix(mime, "+json")
}
