package export

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"easel/mcphost/catalog"
)

// Version is the version of the manifest's schema. It changes when a reader of the older
// version would misunderstand the newer.
const Version = 1

// A Manifest describes the files of an exported folder. docs/export.md documents it.
type Manifest struct {
	Version  int       `json:"version"`
	Made     string    `json:"made_with"`
	Title    string    `json:"title"`
	Created  time.Time `json:"created"`
	Sessions []Session `json:"sessions"`
	Plots    []Plot    `json:"plots"`
	Missing  []string  `json:"missing"` // titles or ids of plots that could not be read

	Environments map[string]catalog.Environment `json:"environments,omitempty"` // by what plots call them
}

// A Session is where plots were drawn.
type Session struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Kernel   string     `json:"kernel,omitempty"`
	Notebook string     `json:"notebook,omitempty"`
	Created  *time.Time `json:"created,omitempty"`
}

// A File is a file of the folder.
type File struct {
	Name   string `json:"file"`
	MIME   string `json:"mime"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// A Plot is a plot with its files. The file itself is the picture, or the figure's data if
// it has no picture.
type Plot struct {
	N       int       `json:"n"`
	ImageID string    `json:"image_id"`
	Title   string    `json:"title"`
	Created time.Time `json:"created"`
	File
	Width     int        `json:"width,omitempty"` // pixels
	Height    int        `json:"height,omitempty"`
	Others    []File     `json:"other_files,omitempty"` // the other forms in which it was displayed
	Code      string     `json:"code_file,omitempty"`
	Session   string     `json:"session,omitempty"`
	Execution string     `json:"execution_id,omitempty"`
	Client    string     `json:"client,omitempty"`
	Started   *time.Time `json:"started,omitempty"` // of the execution
	Ended     *time.Time `json:"ended,omitempty"`
	Rating    int        `json:"rating"`
	Tags      []string   `json:"tags"`
	Note      string     `json:"note,omitempty"`

	Environment string `json:"environment,omitempty"` // in which it was drawn
}

func (m *Manifest) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(m)
}

// writeCSV writes the main facts of each plot as a table. The byte order mark makes Excel
// read UTF-8.
func (m *Manifest) writeCSV(w io.Writer) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	c := csv.NewWriter(w)
	c.UseCRLF = true
	rows := [][]string{{"n", "file", "title", "mime", "width", "height", "code_file", "created", "session", "rating", "tags", "note"}}
	for _, p := range m.Plots {
		rows = append(rows, []string{
			strconv.Itoa(p.N), p.Name, text(p.Title), p.MIME, strconv.Itoa(p.Width), strconv.Itoa(p.Height), p.Code,
			p.Created.Format(time.RFC3339), text(p.Session), strconv.Itoa(p.Rating), text(strings.Join(p.Tags, ", ")), text(p.Note),
		})
	}
	if err := c.WriteAll(rows); err != nil {
		return err
	}
	return c.Error()
}

// text returns s so that a spreadsheet does not take it for a formula.
func text(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
