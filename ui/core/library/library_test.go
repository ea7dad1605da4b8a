package library

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// picturePNG is a PNG of its own for each seed, of about size bytes.
func picturePNG(t testing.TB, seed, size int) []byte {
	t.Helper()
	im := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	for i := range im.Pix {
		im.Pix[i] = byte(i * (seed + 3) >> 3)
	}
	im.Set(0, 0, color.NRGBA{byte(seed), byte(seed >> 8), byte(seed >> 16), 255})
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, im))
	// Bytes after the last chunk are no part of the picture.
	for b.Len() < size {
		fmt.Fprintf(&b, "%08x", seed)
	}
	return b.Bytes()
}

func open(t testing.TB, dir string, o Options) *Library {
	t.Helper()
	o.upkeep = time.Nanosecond
	l, err := Open(context.Background(), dir, o)
	require.NoError(t, err)
	<-l.checked
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

func add(t testing.TB, l *Library, seed int, edit ...func(*NewImage)) Image {
	t.Helper()
	n := NewImage{SessionID: "s1", ExecutionID: "e1", Client: "test 1.0", Forms: []Form{{"image/png", picturePNG(t, seed, 0)}}}
	for _, e := range edit {
		e(&n)
	}
	im, err := l.Images.Add(context.Background(), n)
	require.NoError(t, err)
	return im
}

func TestLibraryKeepsWhatItIsGivenAndOpensAgain(t *testing.T) {
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "a b%c")
	l := open(t, dir, Options{})
	require.NoError(t, l.Sessions.Put(ctx, Session{ID: "s1", KernelID: "k1"}))
	require.NoError(t, l.Executions.Put(ctx, Execution{ID: "e1", SessionID: "s1", Code: "plot()", Status: "ok", CreatedAt: time.Now(), EndedAt: time.Now()}))
	im := add(t, l, 1)
	if _, err := l.Annotations.SetRating(ctx, []string{im.ImageID}, 4); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Annotations.SetTags(ctx, []string{im.ResourceURI}, []string{"気温", "loss"}, nil); err != nil {
		t.Fatal(err)
	}
	check := func(l *Library) {
		t.Helper()
		data, got, err := l.Images.Read(ctx, im.ResourceURI)
		require.NoError(t, err)
		want := []any{4, "plot()", []string{"気温", "loss"}, 64, 1}
		if diff := cmp.Diff(want, []any{got.Rating, got.Code, got.Tags, got.Width, got.N}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if !bytes.Equal(data, picturePNG(t, 1, 0)) {
			t.Error("it is another picture")
		}
		if d := l.Damage(); len(d) > 0 {
			t.Errorf("damage: %+v", d)
		}
	}
	check(l)
	require.NoError(t, l.Close())
	check(open(t, dir, Options{}))
}
