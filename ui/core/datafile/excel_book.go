package datafile

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Limits of workbooks. A small file may decompress to a huge one, so its parts are streamed.
const (
	maxBook   = 128 << 20 // bytes that are decompressed
	maxPart   = 8 << 20   // bytes of a part that is read as a whole
	maxTags   = 300_000   // of such a part; Excel allows 65,490 formats of cells
	maxParts  = 20_000
	maxSheets = 2000

	noStyles = "the formats of the cells could not be read, so dates are numbers of days"
)

// errTooLarge says what to do with a workbook that is beyond the limits.
var errTooLarge = errors.New("it is too large when it is unzipped; read it with code in a session, for example with pandas.read_excel")

// An excelBook reads the parts of a workbook.
type excelBook struct {
	parts   map[string]*zip.File // by name in lower case
	left    int64                // bytes that may still be decompressed
	sheets  []bookSheet
	strings string        // name of the part with the shared strings
	from04  bool          // dates count from 1904
	styles  []numberStyle // of cells
	notes   []string
}

// A bookSheet is a sheet in the workbook's list.
type bookSheet struct {
	name, part string
	hidden     bool
}

// openBook reads what a workbook says of its sheets.
func openBook(ctx context.Context, data []byte) (*excelBook, error) {
	if bytes.Count(data, []byte("PK\x01\x02")) > maxParts {
		return nil, fmt.Errorf("it has more than %d parts: %w", maxParts, errTooLarge)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	b := &excelBook{parts: make(map[string]*zip.File), left: maxBook}
	for _, f := range z.File {
		b.parts[strings.ToLower(strings.ReplaceAll(f.Name, `\`, "/"))] = f
	}
	main := "xl/workbook.xml"
	roots, err := b.relations(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, r := range roots {
		if path.Base(r.Type) == "officeDocument" {
			main = r.part("")
		}
	}
	return b, b.list(ctx, main)
}

// list reads the list of sheets, in the main part.
func (b *excelBook) list(ctx context.Context, main string) error {
	var book struct {
		Properties struct {
			From04 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name  string `xml:"name,attr"`
			State string `xml:"state,attr"`
			ID    string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := b.decode(ctx, main, &book); err != nil {
		return err
	}
	if len(book.Sheets) > maxSheets {
		return fmt.Errorf("it has more than %d sheets: %w", maxSheets, errTooLarge)
	}
	relations, err := b.relations(ctx, main)
	if err != nil {
		return err
	}
	b.from04 = book.Properties.From04 == "1" || book.Properties.From04 == "true"
	b.strings = path.Join(path.Dir(main), "sharedStrings.xml")
	styles := path.Join(path.Dir(main), "styles.xml")
	worksheets := make(map[string]string) // parts by id
	for _, r := range relations {
		switch path.Base(r.Type) {
		case "worksheet":
			worksheets[r.ID] = r.part(main)
		case "sharedStrings":
			b.strings = r.part(main)
		case "styles":
			styles = r.part(main)
		}
	}
	for _, s := range book.Sheets { // one of charts has no part here
		b.sheets = append(b.sheets, bookSheet{name: s.Name, part: worksheets[s.ID], hidden: s.State != "" && s.State != "visible"})
	}
	return b.readStyles(ctx, styles)
}

// A relation leads from a part to another one.
type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
}

// part returns the name of the part that a relation of another part leads to.
func (r relation) part(from string) string {
	if strings.HasPrefix(r.Target, "/") {
		return strings.TrimPrefix(path.Clean(r.Target), "/")
	}
	return path.Join(path.Dir(from), r.Target)
}

func (b *excelBook) relations(ctx context.Context, part string) ([]relation, error) {
	var all struct {
		Relations []relation `xml:"Relationship"`
	}
	name := path.Join(path.Dir(part), "_rels", path.Base("/"+part)+".rels")
	if part == "" {
		name = "_rels/.rels"
	}
	if err := b.decode(ctx, name, &all); err != nil && !errors.Is(err, errNoPart) {
		return nil, err
	}
	return all.Relations, nil
}

// readStyles takes the number formats of cells out of a part.
func (b *excelBook) readStyles(ctx context.Context, part string) error {
	var all struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	err := b.decode(ctx, part, &all)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errNoPart):
		return nil
	case err != nil:
		b.notes = append(b.notes, noStyles)
		return nil //nolint:nilerr // the note says it
	}
	codes := make(map[int]string)
	for _, f := range all.Formats {
		codes[f.ID] = f.Code
	}
	for _, c := range all.Cells {
		b.styles = append(b.styles, styleOf(c.Format, codes[c.Format]))
	}
	return nil
}

var errNoPart = errors.New("a part of it is missing")

// decode decodes a small part.
func (b *excelBook) decode(ctx context.Context, part string, to any) error {
	var raw []byte
	err := b.stream(ctx, part, func(r io.Reader) (err error) {
		raw, err = io.ReadAll(io.LimitReader(r, maxPart+1))
		return err
	})
	if err != nil {
		return err
	}
	if len(raw) > maxPart || bytes.Count(raw, []byte("<")) > maxTags {
		return fmt.Errorf("its part %.100q: %w", part, errTooLarge)
	}
	return xml.Unmarshal(raw, to)
}

// stream calls read with the content of a part. Its reads fail when ctx is done, and when too
// much has been read of the workbook, whatever the sizes in its directory are.
func (b *excelBook) stream(ctx context.Context, part string, read func(io.Reader) error) (err error) {
	f := b.parts[strings.ToLower(part)]
	if f == nil {
		return fmt.Errorf("%w: %.100q", errNoPart, part)
	}
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	err = read(bufio.NewReaderSize(readFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if b.left <= 0 {
			return 0, errTooLarge
		}
		n, err := from.Read(p[:min(int64(len(p)), b.left)])
		b.left -= int64(n)
		return n, err
	}), 64<<10))
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A readFunc is an [io.Reader].
type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
