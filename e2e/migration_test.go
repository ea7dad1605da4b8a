package e2e

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// olderData is the data directory of the Easel of 2026-11-24, which had the third schema: plots of three sessions
// with code, output, ratings, tags and versions, and settings. Nothing was removed from it but its logs, font and
// thumbnails.
const olderData = "testdata/older.tar.gz"

// unpackOlder unpacks olderData.
func unpackOlder(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Open(olderData)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(path, 0o700))
			continue
		}
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
}

// schemaIn returns the version of the schema in the header of a database; its log may have a newer one.
func schemaIn(t *testing.T, database string) int {
	t.Helper()
	data, err := os.ReadFile(database)
	require.NoError(t, err)
	return int(data[63]) // the last byte of a number
}

// isMigrating reports whether an Easel has begun to update its library.
func isMigrating(o options) bool {
	for _, name := range []string{"tmp/previous", "previous"} {
		if _, err := os.Stat(filepath.Join(o.base, "data", "library", filepath.FromSlash(name))); err == nil {
			return true
		}
	}
	return false
}

// keeps returns what an Easel has of its user: the plots with everything that is known of them, the executions and
// the settings.
func (e *easel) keeps(t *testing.T) map[string]any {
	t.Helper()
	all := make(map[string]any)
	get := func(path string) []byte {
		t.Helper()
		r, raw := do(t, e.request(t, http.MethodGet, path, nil))
		if r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s: %s", path, r.Status, raw)
		}
		return raw
	}
	decoded := func(raw []byte) (value any) {
		t.Helper()
		raw = []byte(strings.ReplaceAll(string(raw), filepath.Dir(e.data), "BASE"))
		require.NoError(t, json.Unmarshal(raw, &value))
		return value
	}
	for _, part := range []string{"history", "settings"} {
		all[part] = decoded(get("/api/resources/" + part))
	}
	list, _ := decoded(get("/api/resources?limit=200")).(map[string]any)
	images, _ := list["resources"].([]any)
	for i, im := range images {
		fields, _ := im.(map[string]any)
		uri, _ := fields["uri"].(string)
		bytes := get("/api/resources/" + strings.TrimPrefix(uri, "jupyter://"))
		known := e.call(t, "get_prompt_info", map[string]any{"path": uri})
		raw, err := json.Marshal(known)
		require.NoError(t, err)
		all[uri] = []any{i, im, sha256.Sum256(bytes), decoded(raw)}
	}
	return all
}

// TestAMigrationThatIsKilled kills Easel at random moments while it updates the data of an older one, up to three
// times, and starts it again: everything is there as if it had not been killed.
func TestAMigrationThatIsKilled(t *testing.T) {
	program := headless(t)
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	migrated := func() (o options, database string) {
		o = options{program: program, base: t.TempDir()}
		o.fill(t)
		unpackOlder(t, o.base)
		return o, filepath.Join(o.base, "data", "library", "library.db")
	}
	o, database := migrated()
	older := schemaIn(t, database)
	began := time.Now()
	e := launch(t, o)
	whole := time.Since(began)
	want := e.keeps(t)
	if len(want) < 15 || e.stop(t) != 0 {
		t.Fatalf("it has %d things", len(want))
	}
	newer := schemaIn(t, database)
	if newer <= older {
		t.Fatalf("schema %d became %d", older, newer)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d; a start takes %v", seed, whole)
	random := rand.New(rand.NewPCG(seed, 0))
	kills := make(map[string]int)
	for range rounds {
		o, database := migrated()
		for range 1 + random.IntN(3) {
			p := start(t, o.env(t), program, "--headless")
			wait := time.Duration(random.Int64N(int64(whole)))
			if random.IntN(2) == 0 { // while it copies the library, or soon after
				for range time.Tick(time.Millisecond) {
					if !p.alive() || isMigrating(o) {
						break
					}
				}
				wait /= 16
			}
			select {
			case <-time.After(wait):
			case <-p.exited:
				t.Fatalf("it ended by itself:\n%s", p.out.String())
			}
			_ = p.Process.Kill()
			<-p.exited
			switch _, err := os.Stat(filepath.Join(o.base, "data", "library", "previous")); {
			case schemaIn(t, database) == newer:
				kills["after"]++
			case err == nil:
				kills["during"]++
			default:
				kills["before"]++
			}
		}
		e := launch(t, o)
		if diff := cmp.Diff(want, e.keeps(t)); diff != "" {
			t.Errorf("(-want +got):\n%.4000s", diff)
		}
		if code := e.stop(t); code != 0 {
			t.Errorf("it ended with %d:\n%s", code, e.out.String())
		}
		e.undamaged(t)
	}
	t.Logf("kills: %v", kills)
}

// undamaged checks what is in the directory of the library.
func (e *easel) undamaged(t *testing.T) {
	t.Helper()
	library := filepath.Join(e.data, "library")
	for _, gone := range []string{"damaged/*", "lost/*", "tmp/*"} {
		if left, _ := filepath.Glob(filepath.Join(library, filepath.FromSlash(gone))); len(left) > 0 {
			t.Errorf("in %s: %v", gone, left)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(e.data, "*.broken-*")); len(left) > 0 {
		t.Errorf("set aside: %v", left)
	}
	for _, kept := range []string{"library.db", "library.jsonl"} {
		if info, err := os.Stat(filepath.Join(library, "previous", kept)); err != nil || info.Size() == 0 {
			t.Errorf("the copy of the older data: %v, %v", info, err)
		}
	}
}
