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

	"github.com/xuri/excelize/v2"
)

// Limits of workbooks. A small file may decompress to a huge one, and the library for Excel reads
// a shared string or a cell in column XFD at many times its size. So it gets a copy of what is
// shown, for which the parts that can be large are streamed.
const (
	maxBook   = 128 << 20 // bytes that are decompressed
	maxPart   = 8 << 20   // bytes of a part that is read as a whole
	maxTags   = 300_000   // of such a part; Excel allows 65,490 formats of cells
	maxParts  = 20_000
	maxSheets = 2000

	copyName = "Copy" // of the sheet that the library reads
	noStyles = "the formats of the cells could not be read, so dates are numbers of days"
)

// errTooLarge says what to do with a workbook that is beyond the limits.
var errTooLarge = errors.New("it is too large when it is unzipped; read it with code in a session, for example with pandas.read_excel")

// An excelBook reads the parts of a workbook.
type excelBook struct {
	parts   map[string]*zip.File // by name in lower case
	left    int64                // bytes that may still be decompressed
	sheets  []bookSheet
	strings string // name of the part with the shared strings
	from04  bool   // dates count from 1904
	styles  string // of cells, in XML
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
func (b *excelBook) list(ctx context.Context, main string) (err error) {
	raw, err := b.whole(ctx, main)
	if err == nil && bytes.Count(raw, []byte("<sheet"))+bytes.Count(raw, []byte(":sheet")) > maxSheets {
		err = fmt.Errorf("it has more than %d sheets: %w", maxSheets, errTooLarge)
	}
	if err != nil {
		return err
	}
	f, err := openParts(map[string]string{"xl/workbook.xml": string(raw)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	relations, err := b.relations(ctx, main)
	if err != nil {
		return err
	}
	b.from04 = f.WorkBook.WorkbookPr != nil && f.WorkBook.WorkbookPr.Date1904
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
	for _, s := range f.WorkBook.Sheets.Sheet { // one of charts has no part here
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
	raw, err := b.whole(ctx, path.Join(path.Dir(part), "_rels", path.Base("/"+part)+".rels"))
	if part == "" {
		raw, err = b.whole(ctx, "_rels/.rels")
	}
	if errors.Is(err, errNoPart) {
		return nil, nil
	}
	if err == nil {
		err = xml.Unmarshal(raw, &all)
	}
	return all.Relations, err
}

// readStyles takes the number formats of cells out of a part.
func (b *excelBook) readStyles(ctx context.Context, part string) error {
	var all struct {
		Formats struct {
			XML string `xml:",innerxml"`
		} `xml:"numFmts"`
		Cells struct {
			XML string `xml:",innerxml"`
		} `xml:"cellXfs"`
	}
	raw, err := b.whole(ctx, part)
	if err == nil {
		err = xml.Unmarshal(raw, &all)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		b.styles = fmt.Sprintf("<numFmts>%s</numFmts><cellXfs>%s</cellXfs>", all.Formats.XML, all.Cells.XML)
	case !errors.Is(err, errNoPart):
		b.notes = append(b.notes, noStyles)
	}
	return nil
}

// The beginnings of parts.
const (
	mainSpace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	partSpace = `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
)

// copied opens a workbook with one sheet, whose name is copyName.
func (b *excelBook) copied(rows, texts string) (*excelize.File, error) {
	f, err := openParts(map[string]string{
		"xl/workbook.xml":            `<workbook xmlns="` + mainSpace + `" ` + partSpace + `><sheets><sheet name="` + copyName + `" sheetId="1" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relations + `worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml":   `<worksheet xmlns="` + mainSpace + `"><sheetData>` + rows + `</sheetData></worksheet>`,
		"xl/sharedStrings.xml":       texts,
		"xl/styles.xml":              `<styleSheet xmlns="` + mainSpace + `">` + b.styles + `</styleSheet>`,
	})
	if err != nil && b.styles != "" {
		b.styles, b.notes = "", append(b.notes, noStyles)
		return b.copied(rows, texts)
	}
	return f, err
}

// openParts makes the library read parts of a workbook.
func openParts(parts map[string]string) (*excelize.File, error) {
	parts["_rels/.rels"] = relations + `officeDocument" Target="xl/workbook.xml"/></Relationships>`
	var data bytes.Buffer
	z := zip.NewWriter(&data)
	for name, part := range parts {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(w, part)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return excelize.OpenReader(&data)
}

var errNoPart = errors.New("a part of it is missing")

// whole reads a small part.
func (b *excelBook) whole(ctx context.Context, part string) ([]byte, error) {
	var raw []byte
	err := b.stream(ctx, part, func(r *bufio.Reader) (err error) {
		raw, err = io.ReadAll(io.LimitReader(r, maxPart+1))
		return err
	})
	if err == nil && (len(raw) > maxPart || bytes.Count(raw, []byte("<")) > maxTags) {
		return nil, fmt.Errorf("its part %.100q: %w", part, errTooLarge)
	}
	return raw, err
}

// stream calls read with the content of a part. Its reads fail when ctx is done, and when too
// much has been read of the workbook, whatever the sizes in its directory are.
func (b *excelBook) stream(ctx context.Context, part string, read func(*bufio.Reader) error) (err error) {
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
