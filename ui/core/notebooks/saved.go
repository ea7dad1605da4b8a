package notebooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/picture"
)

// A PictureName names a picture that is saved in a notebook: reports/sales.ipynb#CELL.OUTPUT. CELL
// is the cell's id or index. OUTPUT is the output's index; without it, the cell's first picture
// is meant.
type PictureName struct {
	Path, Cell string
	Output     int // -1: the first with a picture
}

var pictureName = regexp.MustCompile(`^(.+\.ipynb)#([A-Za-z0-9_-]+)(?:\.(\d{1,6}))?$`)

// ParsePictureName returns the parts of a name. It reports false if the name is of another form.
func ParsePictureName(name string) (PictureName, bool) {
	m := pictureName.FindStringSubmatch(name)
	if m == nil {
		return PictureName{}, false
	}
	p := PictureName{Path: m[1], Cell: m[2], Output: -1}
	if m[3] != "" {
		p.Output, _ = strconv.Atoi(m[3])
	}
	return p, true
}

// String returns the name.
func (p PictureName) String() string {
	if p.Output < 0 {
		return p.Path + "#" + p.Cell
	}
	return fmt.Sprintf("%s#%s.%d", p.Path, p.Cell, p.Output)
}

// A SavedPicture is a picture that is saved in an output.
type SavedPicture struct {
	Cell, Output int // indexes
	CellID       string
	Count        int // the n of In [n]; 0 if unknown
	MIME         string
	Data         []byte
}

// ErrNoPicture means that a notebook has no such picture.
var ErrNoPicture = errors.New("no such picture")

// Picture returns a saved picture. The error is ErrCellNotFound or ErrNoPicture.
func (n *Notebook) Picture(name PictureName) (SavedPicture, error) {
	i, err := n.Find(Ref{ID: name.Cell})
	if index, bad := strconv.Atoi(name.Cell); err != nil && bad == nil {
		i, err = n.Find(Ref{Index: &index})
	}
	if err != nil {
		return SavedPicture{}, err
	}
	c := n.Cells[i]
	for at, raw := range c.Outputs() {
		if name.Output >= 0 && name.Output != at {
			continue
		}
		left := briefText
		o := viewOutput(raw, false, &left)
		form := pictureOf(o.Data)
		if form < 0 {
			continue
		}
		p := SavedPicture{Cell: i, Output: at, CellID: c.id, Count: c.ExecutionCount(), MIME: o.Data[form].MIMEType}
		p.Data, err = formData(raw, p.MIME)
		return p, err
	}
	return SavedPicture{}, fmt.Errorf("%w: %s", ErrNoPicture, name)
}

// pictureForms lists the types of pictures, the best first: all but the last have pixels.
var pictureForms = []string{picture.PNG, picture.JPEG, picture.GIF, picture.WebP, picture.SVG}

// pictureOf returns the index of the form that is the picture of an output, or -1.
func pictureOf(forms []catalog.OutputForm) int {
	for _, mime := range pictureForms {
		i := slices.IndexFunc(forms, func(f catalog.OutputForm) bool { return f.MIMEType == mime })
		if i >= 0 {
			return i
		}
	}
	return -1
}

// formData returns the data of a form of an output.
func formData(raw json.RawMessage, mime string) ([]byte, error) {
	var o struct {
		Data object `json:"data"`
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	if mime == picture.SVG {
		text, _ := lines(o.Data[mime])
		return []byte(text), nil
	}
	data, err := wire.Base64(o.Data[mime])
	if err != nil {
		return nil, fmt.Errorf("%w: its base64 cannot be read", picture.ErrDamaged)
	}
	return data, nil
}

// NamePictures names the pictures in cells of the notebook at path, for get_image_resource.
func NamePictures(path string, cells []catalog.NotebookCell) {
	for _, c := range cells {
		cell := c.CellID
		if !validID.MatchString(cell) {
			cell = strconv.Itoa(c.Index)
		}
		for _, o := range c.Outputs {
			if i := pictureOf(o.Data); i >= 0 {
				o.Data[i].ResourceURI = PictureName{path, cell, o.Index}.String()
			}
		}
	}
}
