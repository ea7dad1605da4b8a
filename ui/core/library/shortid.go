package library

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"

	"easel/ui/core/library/naming"
)

// An image can be named by the end of its id, which costs a model less to write. Ids begin with
// the time, so those of a session begin alike.

// shortForm matches the end of an id that is long enough to name an image.
var shortForm = regexp.MustCompile(`^[` + naming.Digits + `]{6,25}$`)

// mostCandidates is how many images an AmbiguousError names.
const mostCandidates = 5

// An AmbiguousError reports that several ids have the same end.
type AmbiguousError struct {
	End        string
	Candidates []Image // the newest
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the ids of %d images or more end in %q", len(e.Candidates), e.End)
}

// byEnd finds the image whose id has this end. Images in the trash do not count.
func (m *Images) byEnd(ctx context.Context, end string) (Image, error) {
	end = strings.ToLower(strings.TrimLeft(end, "….")) // as a list in a chat may write it
	if !shortForm.MatchString(end) {
		return Image{}, sql.ErrNoRows
	}
	rows, err := m.imageRows(ctx, `select `+imageColumns+imageTables+`
		where substr(i.id, ?) = ? and i.trashed = 0 order by i.id desc limit ?`, -len(end), end, mostCandidates)
	if err != nil {
		return Image{}, err
	}
	images, err := m.withCode(ctx, rows)
	switch {
	case err != nil:
		return Image{}, err
	case len(images) == 0:
		return Image{}, sql.ErrNoRows
	case len(images) > 1:
		return Image{}, &AmbiguousError{end, images}
	}
	return images[0], nil
}
