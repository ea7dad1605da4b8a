package library

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/library/disk"
)

func TestTheQuotaTakesTheOldestThatNobodyAnnotated(t *testing.T) {
	ctx := t.Context()
	var told []Damage
	l := open(t, t.TempDir(), Options{QuotaBytes: 425_000, KeepPerSession: 3, Report: func(d Damage) { told = append(told, d) }})
	require.NoError(t, l.Sessions.Put(ctx, Session{ID: "live"}))
	require.NoError(t, l.Sessions.Put(ctx, Session{ID: "over", EndedAt: time.Now()}))
	seed := 0
	put := func(session string) Image {
		seed++
		return add(t, l, seed, func(n *NewImage) { n.SessionID, n.Forms = session, []Form{{"image/png", picturePNG(t, seed, 40_000)}} })
	}
	rated, live, tagged := put("over"), put("live"), put("over")
	noted, plain, trashed := put("over"), put("over"), put("over")
	if _, err := l.Annotations.SetRating(ctx, []string{rated.ImageID}, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Annotations.SetTags(ctx, []string{tagged.ImageID}, []string{"x"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Annotations.SetNote(ctx, noted.ImageID, "x"); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, l.Images.Trash(ctx, []string{trashed.ImageID}))
	for range 4 {
		put("over")
	}
	if used, quota := l.s.files.used.Load(), l.s.files.quota.Load(); used < 390_000 || used > quota {
		t.Errorf("used %d of %d", used, quota)
	}
	exists := func(im Image, want bool) {
		t.Helper()
		images, err := l.Images.Get(ctx, im.ImageID)
		if err != nil || (len(images) == 1) != want {
			t.Errorf("there: %d, want %t, %v", len(images), want, err)
		}
		if _, err := os.Stat(im.Path); (err == nil) != want {
			t.Errorf("file: %v", err)
		}
	}
	put("over") // the trash goes first
	exists(trashed, false)
	exists(plain, true)
	put("over")
	exists(plain, false)
	for range 10 {
		put("over")
	}
	for _, im := range []Image{rated, live, tagged, noted} {
		exists(im, true)
	}
	if len(told) < 2 || told[0].Kind != QuotaReached || len(told[0].Images) != 1 {
		t.Errorf("told %+v", told)
	}
	// When all that is left is annotated, there is no room: nothing is taken from the user.
	ids, err := l.Images.IDs(ctx, All())
	require.NoError(t, err)
	if _, err := l.Annotations.SetRating(ctx, ids, 5); err != nil {
		t.Fatal(err)
	}
	_, err = l.Images.Add(ctx, NewImage{SessionID: "live", Forms: []Form{{"image/png", picturePNG(t, 999, 40_000)}}})
	if !errors.Is(err, ErrFull) {
		t.Errorf("got %v", err)
	}
	if again, err := l.Images.IDs(ctx, All()); err != nil || len(again) != len(ids) {
		t.Errorf("%d of %d are left, %v", len(again), len(ids), err)
	}
}

// A meeting is a disk on which the first two writes wait for each other.
type meeting struct {
	disk.Real
	remaining atomic.Int64
	met       chan struct{}
}

func (m *meeting) Write(f *os.File, b []byte) (int, error) {
	switch n := m.remaining.Add(-1); {
	case n == 0:
		close(m.met)
	case n > 0:
		<-m.met
	}
	return m.Real.Write(f, b)
}

func TestEqualImagesThatComeAtOnceAreCountedOnce(t *testing.T) {
	ctx := t.Context()
	d := &meeting{met: make(chan struct{})}
	l := open(t, t.TempDir(), Options{Disk: d})
	d.remaining.Store(2)
	data := picturePNG(t, 1, 0)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, err := l.Images.Add(ctx, NewImage{SessionID: "s1", Forms: []Form{{"image/png", data}}}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if used := l.s.files.used.Load(); used != int64(len(data)) {
		t.Errorf("used %d, want %d", used, len(data))
	}
	ids, err := l.Images.IDs(ctx, All())
	require.NoError(t, err)
	require.NoError(t, l.Images.Delete(ctx, ids))
	if used := l.s.files.used.Load(); used != 0 {
		t.Errorf("used %d of nothing", used)
	}
}
