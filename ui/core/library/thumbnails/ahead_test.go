package thumbnails

import (
	"bytes"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/picture"
)

// A fixture is thumbnails with two stored images, of which none was asked for.
type fixture struct {
	*Thumbnails

	forms [2]Form
	data  []byte
	now   time.Time
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir, done := t.TempDir(), make(chan struct{})
	var data bytes.Buffer
	require.NoError(t, png.Encode(&data, image.NewRGBA(image.Rect(0, 0, 640, 480))))
	f := &fixture{data: data.Bytes(), now: time.Now()}
	for i, hash := range []string{strings.Repeat("a", 32), strings.Repeat("b", 32)} {
		f.forms[i] = Form{MIME: picture.PNG, Path: filepath.Join(dir, hash+".png")}
		require.NoError(t, os.WriteFile(f.forms[i].Path, f.data, 0o600))
	}
	f.Thumbnails = New(Options{
		Dir: filepath.Join(dir, "thumbs"), Temp: dir, Images: new(sync.Mutex), Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return f.now },
	})
	var running sync.WaitGroup
	running.Go(func() { f.Run(done) })
	t.Cleanup(func() { close(done); running.Wait() })
	return f
}

// request asks for the thumbnail of the first image, as a gallery does that is visible.
func (f *fixture) request(t *testing.T) {
	t.Helper()
	if _, err := f.Thumb(t.Context(), "first", f.forms[:1], 100, func(Form) ([]byte, error) { return f.data, nil }); err != nil {
		t.Fatal(err)
	}
}

// ahead adds the second image, and reports whether it then has a thumbnail.
func (f *fixture) ahead(stored bool) bool {
	f.MakeAhead("second", f.forms[1:], func(int) []byte { return f.data })(stored)
	made := f.lock("second")
	made.Lock() // whoever made one has ended
	defer made.Unlock()
	return f.keptThumb(f.forms[1:], edges[0]) != nil
}

func TestTheThumbOfANewImageIsMadeAhead(t *testing.T) {
	f := newFixture(t)
	f.request(t)
	for range 100_000 { // the maker may not yet be there: then it is not waited for
		if f.ahead(true) {
			return
		}
	}
	t.Error("no thumbnail was made")
}

// An image that did not come to the disk leaves no thumbnail, and nobody waiting.
func TestNoThumbIsKeptOfAnImageThatWasNot(t *testing.T) {
	f := newFixture(t)
	f.request(t)
	if f.ahead(false) {
		t.Error("there is a thumbnail")
	}
}

// Nobody looks: nothing is made.
func TestNoThumbIsMadeAheadWhileNobodyLooks(t *testing.T) {
	f := newFixture(t)
	if f.ahead(true) {
		t.Error("before the first request: there is a thumbnail")
	}
	f.request(t)
	f.now = f.now.Add(demandTTL + time.Second)
	if f.ahead(true) {
		t.Error("long after the last request: there is a thumbnail")
	}
}
