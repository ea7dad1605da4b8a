package sealed

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/kernels/inspect"
)

var picture = strings.Repeat("ab", 32)

func aFigure() inspect.PickledFigure {
	return inspect.PickledFigure{
		Names: []string{strings.Repeat("0", 64), picture}, How: []byte("how"), Figure: []byte("figure\nwith lines"),
		FigureOrigin: inspect.FigureOrigin{Python: "3.12.3", Matplotlib: "3.11.0", Path: []string{"/x"}},
	}
}

func aKey(t *testing.T) Key {
	t.Helper()
	k, err := LoadKey(filepath.Join(t.TempDir(), "data", "figures.key"))
	require.NoError(t, err)
	return k
}

func TestAFigureIsOpenedAsItWasSealed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures.key")
	k, err := LoadKey(file)
	require.NoError(t, err)
	data, err := k.Seal(aFigure())
	require.NoError(t, err)
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the key can be read by others: %v, %v", info, err)
	}
	again, err := LoadKey(file)
	require.NoError(t, err)
	f, err := again.Open(data, picture[:32])
	if err != nil || string(f.How) != "how" || string(f.Figure) != "figure\nwith lines" || f.Python != "3.12.3" || f.Path[0] != "/x" {
		t.Errorf("opened: %+v, %v", f, err)
	}
}

// TestOnlyWhatThisEaselHasSealedIsOpened changes each byte of a file in turn.
func TestOnlyWhatThisEaselHasSealedIsOpened(t *testing.T) {
	k := aKey(t)
	data, err := k.Seal(aFigure())
	require.NoError(t, err)
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		if f, err := k.Open(changed, picture); !errors.Is(err, ErrForeign) || f.Figure != nil {
			t.Fatalf("byte %d changed: %+v, %v", i, f, err)
		}
	}
	for n := range data {
		if _, err := k.Open(data[:n], picture); !errors.Is(err, ErrForeign) {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
	}
	if _, err := aKey(t).Open(data, picture); !errors.Is(err, ErrForeign) {
		t.Errorf("by another Easel: %v", err)
	}
	if _, err := k.Open(data, strings.Repeat("cd", 16)); !errors.Is(err, ErrOther) {
		t.Errorf("for another picture: %v", err)
	}
	if _, err := k.Open(data, ""); !errors.Is(err, ErrOther) {
		t.Errorf("for no picture: %v", err)
	}
	if _, err := (Key{}).Open(data, picture); !errors.Is(err, ErrForeign) {
		t.Errorf("without a key: %v", err)
	}
	if _, err := (Key{}).Seal(aFigure()); err == nil {
		t.Error("a figure was sealed without a key")
	}
}

func TestADamagedKeyIsNotReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures.key")
	require.NoError(t, os.WriteFile(file, []byte("AAAA\n"), 0o600))
	if _, err := LoadKey(file); err == nil {
		t.Error("a damaged key was used")
	}
	if text, _ := os.ReadFile(file); string(text) != "AAAA\n" {
		t.Errorf("the key is now %q", text)
	}
}
