package brief

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

func notebookCreateOut(o catalog.NotebookCreateOut) any {
	return struct {
		catalog.Result
		Path   string `json:"path"`
		Server string `json:"server,omitempty"`
	}{o.Result, o.Path, serverOf(o.AtServer)}
}

// mostPage is how many bytes of cells a page of a notebook has for a model. The next
// page has the rest.
const mostPage = 24_000

// A cellForm is the form of a notebook's cell for models.
type cellForm struct {
	Index          int                    `json:"index"`
	CellID         string                 `json:"cell_id"`
	CellType       string                 `json:"cell_type"`
	ExecutionCount *int                   `json:"execution_count,omitempty"`
	Source         string                 `json:"source"`
	Outputs        []outputForm           `json:"outputs,omitempty"`
	Cut            *catalog.TruncatedCell `json:"truncated,omitempty"`
}

// A outputForm is the form of a cell's output for models. Its forms are listed by name.
type outputForm struct {
	OutputType string `json:"output_type"`
	Name       string `json:"name,omitempty"`
	Text       string `json:"text,omitempty"`
	TotalBytes int    `json:"total_bytes,omitempty"`
	Data       []any  `json:"data,omitempty"`
	Ename      string `json:"ename,omitempty"`
	Evalue     string `json:"evalue,omitempty"`
}

func notebookReadOut(o catalog.NotebookReadOut) any {
	b := struct {
		catalog.Result
		catalog.SessionNews
		catalog.LinkTarget
		Cells     []cellForm `json:"cells"`
		Total     int        `json:"total"`
		Removed   []string   `json:"removed,omitempty"`
		Via       string     `json:"via"`
		Server    string     `json:"server,omitempty"`
		AlsoOpen  []string   `json:"also_open_on,omitempty"`
		NextStart int        `json:"next_start,omitempty"`
		SessionID string     `json:"session_id,omitempty"`
		Notes     []string   `json:"notes,omitempty"`
	}{
		o.Result, o.SessionNews, o.LinkTarget,
		[]cellForm{},
		o.Total, o.Removed, o.Via, serverOf(o.AtServer), o.AlsoOpenOn, o.NextStart,
		o.SessionID, o.Notes,
	}
	size := 0
	for _, c := range o.Cells {
		cell, n := cellOf(c)
		if size += n; size > mostPage && len(b.Cells) > 0 {
			b.NextStart = c.Index
			b.Notes = []string{fmt.Sprintf("%d cells fit into this page; read on with start", len(b.Cells))}
			break
		}
		b.Cells = append(b.Cells, cell)
	}
	return b
}

// cellOf returns the form of the cell for models, and its size.
func cellOf(c catalog.NotebookCell) (b cellForm, size int) {
	b = cellForm{c.Index, c.CellID, c.CellType, c.ExecutionCount, c.Source, nil, c.Cut}
	size = len(c.Source) + 60
	for _, o := range c.Outputs {
		out := outputForm{o.OutputType, o.Name, o.Text, o.TotalBytes, nil, o.Ename, o.Evalue}
		if o.OutputType == "error" {
			out.Text = Traceback(o.Text)
		}
		for _, d := range o.Data {
			switch {
			case d.ResourceURI != "":
				out.Data = append(out.Data, savedPicture(d))
				size += len(d.ResourceURI) + 20
			case d.Text != "":
				out.Data = append(out.Data, map[string]string{"mime_type": d.MIMEType, "text": d.Text})
			case d.MIMEType != "text/html" || o.Text == "": // usually of a table, whose text is shown
				out.Data = append(out.Data, d.MIMEType)
			}
			size += len(d.MIMEType) + len(d.Text)
		}
		size += len(out.Text) + len(out.Evalue) + 40
		b.Outputs = append(b.Outputs, out)
	}
	return b, size
}

// savedPicture returns the form of a saved picture for models. A plot of Easel's gallery is named
// by the end of its id, with what the user said about it.
func savedPicture(f catalog.OutputForm) any {
	b := struct {
		MIMEType    string   `json:"mime_type"`
		ResourceURI string   `json:"resource_uri,omitempty"`
		ImageID     string   `json:"image_id,omitempty"`
		Rating      int      `json:"rating,omitempty"`
		Tags        []string `json:"tags,omitempty"`
		Note        string   `json:"note,omitempty"`
	}{MIMEType: f.MIMEType, ResourceURI: f.ResourceURI}
	if p := f.Plot; p != nil {
		b.ResourceURI, b.ImageID = "", p.ShortID()
		b.Rating, b.Tags, b.Note = p.Rating, p.Tags, truncate.Middle(p.Note, mostNote)
	}
	return b
}

func notebookDeleteCellOut(o catalog.NotebookDeleteCellOut) any {
	o.Removed.Source = truncate.Middle(o.Removed.Source, mostSource)
	return struct {
		catalog.Result
		CellID  string          `json:"cell_id"`
		Index   int             `json:"index"`
		Removed catalog.NewCell `json:"removed"`
		Total   int             `json:"total"`
		Via     string          `json:"via"`
		Server  string          `json:"server,omitempty"`
	}{o.Result, o.CellID, o.Index, o.Removed, o.Total, o.Via, serverOf(o.AtServer)}
}

func fileListOut(o catalog.FileListOut) any {
	const most = 200
	type brief struct {
		Name       string     `json:"name"`
		Type       string     `json:"type"`
		Size       int64      `json:"size,omitempty"`
		ModifiedAt *time.Time `json:"modified_at,omitempty"`
	}
	list := make([]brief, min(len(o.Contents), most))
	for i := range list {
		e := o.Contents[i]
		list[i] = brief{e.Name, e.Type, e.Size, nil}
		if e.ModifiedAt != nil {
			list[i].ModifiedAt = atSecond(*e.ModifiedAt)
		}
	}
	omitted := ""
	if over := max(len(o.Contents), o.Total) - len(list); over > 0 {
		omitted = fmt.Sprintf("%d more: list them with code in a session, for example with pathlib's glob", over)
	}
	return struct {
		catalog.Result
		catalog.LinkTarget
		Folder   string  `json:"folder"`
		Contents []brief `json:"contents"`
		Omitted  string  `json:"omitted,omitempty"`
		Hint     string  `json:"hint,omitempty"`
	}{o.Result, o.LinkTarget, cmp.Or(o.Folder, o.Path), list, omitted, o.Hint}
}

func fileReadOut(o catalog.FileReadOut) any {
	b := struct {
		catalog.Result
		catalog.LinkTarget
		Kind      string              `json:"kind"`
		Size      int64               `json:"size,omitempty"`
		Encoding  string              `json:"encoding,omitempty"`
		Delimiter string              `json:"delimiter,omitempty"`
		Decimal   string              `json:"decimal,omitempty"`
		Pandas    string              `json:"pandas,omitempty"`
		Text      *string             `json:"text,omitempty"`
		Truncated bool                `json:"truncated,omitempty"`
		Columns   []string            `json:"columns,omitempty"`
		Rows      [][]json.RawMessage `json:"rows,omitzero"`
		TotalRows *int64              `json:"total_rows,omitempty"`
		Sheets    []string            `json:"sheets,omitempty"`
		Notes     []string            `json:"notes,omitempty"`
	}{
		Result: o.Result, LinkTarget: o.LinkTarget, Kind: o.Kind, Encoding: o.Encoding, Delimiter: o.Delimiter, Decimal: o.Decimal,
		Pandas: o.Pandas,
		Text:   o.Text, Truncated: o.Truncated,
		Columns: o.Columns, Rows: o.Rows, TotalRows: o.TotalRows, Sheets: o.Sheets, Notes: o.Notes,
	}
	if o.Truncated { // how much there is
		b.Size = o.Size
	}
	if b.Encoding == "utf-8" {
		b.Encoding = ""
	}
	if b.Delimiter == "," || b.Kind == "tsv" {
		b.Delimiter = ""
	}
	if b.Decimal == "." {
		b.Decimal = ""
	}
	if len(b.Sheets) == 1 {
		b.Sheets = nil
	}
	return b
}
