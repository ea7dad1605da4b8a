package datafile

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"
)

// shortened returns a workbook with the rows in the first maxTyped bytes of each large sheet, or
// data itself if it has none. Only a whole sheet has the types of its cells, without which a date
// is a number.
func shortened(data []byte) (short []byte, cut bool, err error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, false, err
	}
	large := func(f *zip.File) bool {
		return strings.Contains(path.Dir(f.Name), "worksheets") && f.UncompressedSize64 > maxTyped
	}
	if !slices.ContainsFunc(z.File, large) {
		return data, false, nil
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range z.File {
		if large(f) {
			err = copyRows(w, f)
		} else {
			err = w.Copy(f)
		}
		if err != nil {
			return nil, false, err
		}
	}
	err = w.Close()
	return b.Bytes(), true, err
}

// copyRows copies the first whole rows of a sheet.
func copyRows(w *zip.Writer, f *zip.File) (err error) {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	sheet, err := io.ReadAll(io.LimitReader(r, maxTyped))
	if err != nil {
		return err
	}
	to, err := w.Create(f.Name)
	if err != nil {
		return err
	}
	_, err = to.Write(wholeRows(sheet))
	return err
}

// wholeRows ends the beginning of a sheet's XML after its last whole row.
func wholeRows(sheet []byte) []byte {
	const name = "row>"
	for end := bytes.LastIndex(sheet, []byte(name)); end >= 0; end = bytes.LastIndex(sheet[:end], []byte(name)) {
		begin := bytes.LastIndexByte(sheet[:end], '<') + 1
		prefix, closes := bytes.CutPrefix(sheet[begin:end], []byte("/")) // of the namespace
		if closes && (len(prefix) == 0 || bytes.HasSuffix(prefix, []byte(":"))) {
			return slices.Concat(sheet[:end+len(name)], []byte("</"), prefix, []byte("sheetData></"), prefix, []byte("worksheet>"))
		}
	}
	return []byte(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData/></worksheet>`)
}

// rowsIn counts the rows of a sheet that have values, without the first one, which has the names
// of the columns.
func rowsIn(f *excelize.File, sheet string) (n int64, err error) {
	rows, err := f.Rows(sheet)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		raw, err := rows.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(raw, func(s string) bool { return s != "" }) {
			n++
		}
	}
	return max(0, n-1), rows.Error()
}
