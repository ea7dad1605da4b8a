package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"easel/ui/core/facts"
)

// The facts of a plot are stored as its last form, which no list of its forms has: they are deleted with
// the plot, count for the quota, and are in the journal as any other form, also for an Easel that does not
// know them. They are never in a picture, because people share those.

// factsForm is the form of the facts of an image.
func factsForm(data []byte) formRecord {
	sum := sha256.Sum256(data)
	return formRecord{MIME: facts.MIMEType, Hash: hex.EncodeToString(sum[:hashBytes]), Ext: "facts", Bytes: int64(len(data))}
}

func isFacts(f formRecord) bool { return f.MIME == facts.MIMEType }

// ReadFacts reads what is stored of the numbers that a plot shows. The error is ErrNotFound if there is
// nothing.
func (m *Images) ReadFacts(ctx context.Context, im Image) ([]byte, error) {
	if im.Facts == nil {
		return nil, fmt.Errorf("%w: image %s has no facts", ErrNotFound, im.ImageID)
	}
	return m.readForm(ctx, im, *im.Facts)
}
