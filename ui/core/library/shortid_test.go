package library

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestTheEndOfAnIDNamesAnImage covers ends that no other image has, ends that several have, and
// what is no end of an id.
func TestTheEndOfAnIDNamesAnImage(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	images := []Image{add(t, l, 1), add(t, l, 2), add(t, l, 3)}
	for _, im := range images {
		for _, name := range []string{im.ImageID[20:], im.ImageID[18:], im.ImageID[1:], strings.ToUpper(im.ImageID[19:]), "…" + im.ImageID[18:]} {
			if got, err := l.Images.Image(ctx, name); err != nil || got.ImageID != im.ImageID {
				t.Errorf("%q: %q, %v; want %s", name, got.ImageID, err, im.ImageID)
			}
		}
		for _, name := range []string{im.ImageID[21:], im.ImageID[:20], im.ImageID[18:] + ".png", "%" + im.ImageID[18:], strings.Repeat("_", 8)} {
			if got, err := l.Images.Image(ctx, name); !errors.Is(err, ErrNotFound) {
				t.Errorf("%q: %q, %v; want none", name, got.ImageID, err)
			}
		}
	}

	twins := []string{"0123456789abcdefghjk" + "mnpqrs", "1123456789abcdefghjk" + "mnpqrs"}
	for i, id := range twins {
		err := l.s.write(ctx, survivesDeath, func(x *tx) error {
			_, err := x.exec(`update images set id = ? where id = ?`, id, images[i].ImageID)
			return err
		})
		require.NoError(t, err)
	}
	_, err := l.Images.Image(ctx, "mnpqrs")
	several := new(AmbiguousError)
	if !errors.As(err, &several) || several.End != "mnpqrs" || len(several.Candidates) != 2 || several.Candidates[0].ImageID != twins[1] || several.Candidates[1].ImageID != twins[0] {
		t.Fatalf("two images with this end: %v", err)
	}
	if im, err := l.Images.Image(ctx, twins[0][1:]); err == nil {
		t.Errorf("25 characters that both have: %s", im.ImageID)
	}
	if im, err := l.Images.Image(ctx, twins[0]); err != nil || im.ImageID != twins[0] {
		t.Errorf("the whole id: %q, %v", im.ImageID, err)
	}
	require.NoError(t, l.Images.Trash(ctx, []string{twins[1]}))
	if im, err := l.Images.Image(ctx, "mnpqrs"); err != nil || im.ImageID != twins[0] {
		t.Errorf("after the other went into the trash: %q, %v", im.ImageID, err)
	}
}

func TestAnImageIsFoundByItsContent(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	data := picturePNG(t, 5, 0)
	add(t, l, 4)
	first := add(t, l, 5)
	newest := add(t, l, 5, func(n *NewImage) { n.SessionID = "s2" })
	sum := sha256.Sum256(data)
	content := hex.EncodeToString(sum[:])
	if im, err := l.Images.WithContent(ctx, content); err != nil || im.ImageID != newest.ImageID {
		t.Errorf("%q, %v; want the newest, %s", im.ImageID, err, newest.ImageID)
	}
	require.NoError(t, l.Images.Trash(ctx, []string{newest.ImageID}))
	if im, err := l.Images.WithContent(ctx, content); err != nil || im.ImageID != first.ImageID {
		t.Errorf("%q, %v; want the one that is not in the trash, %s", im.ImageID, err, first.ImageID)
	}
	for _, none := range []string{strings.Repeat("0", 64), "", content[:10]} {
		if im, err := l.Images.WithContent(ctx, none); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %q, %v", none, im.ImageID, err)
		}
	}
}
