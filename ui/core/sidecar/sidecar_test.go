package sidecar

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"easel/internal/require"
)

// A meta is what XMP says, by namespaces.
type meta struct {
	Description struct {
		Rating  int `xml:"http://ns.adobe.com/xap/1.0/ Rating,attr"`
		Subject struct {
			Tags []string `xml:"Bag>li"`
		} `xml:"http://purl.org/dc/elements/1.1/ subject"`
	} `xml:"RDF>Description"`
}

func TestStarsAndTagsAreWrittenBesideThePicture(t *testing.T) {
	dir := t.TempDir()
	picture := filepath.Join(dir, "写真 <1>.png")
	if runtime.GOOS == "windows" {
		picture = filepath.Join(dir, "写真 &1.png")
	}
	tags := []string{"keep & show", "これ", `a "quoted" <tag>`}
	write := func(rating int, tags []string, want bool) {
		t.Helper()
		if written, err := Write(picture, rating, tags); err != nil || written != want {
			t.Errorf("written %v, %v; want %v", written, err, want)
		}
	}
	write(0, nil, false)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("a picture without stars has %v, %v", left, err)
	}
	write(4, tags, true)
	write(4, tags, false)
	raw, err := os.ReadFile(picture + ".xmp")
	require.NoError(t, err)
	var m meta
	require.NoError(t, xml.Unmarshal(raw, &m))
	slices.Sort(tags)
	if m.Description.Rating != 4 || !slices.Equal(m.Description.Subject.Tags, tags) {
		t.Errorf("read %+v of\n%s", m, raw)
	}
	write(0, nil, true) // the stars were removed since
	write(0, nil, false)
}

// exiftool returns the program. A run of all tests fails without it, because it counts what is skipped.
func exiftool(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("exiftool")
	if err != nil {
		t.Skip("there is no exiftool; scripts/deps test installs it")
	}
	return path
}

func TestExiftoolReadsWhatWasWritten(t *testing.T) {
	program := exiftool(t)
	picture, tags := filepath.Join(t.TempDir(), "写真 <1>.png"), []string{"keep & show", "これ", `a "quoted" <tag>`}
	_, err := Write(picture, 4, tags)
	require.NoError(t, err)
	slices.Sort(tags)
	out, err := exec.CommandContext(t.Context(), program, "-json", "-struct", "-XMP:all", picture+Suffix).Output()
	require.NoError(t, err)
	var read []struct {
		Rating  int
		Subject []string
	}
	if err := json.Unmarshal(out, &read); err != nil || len(read) != 1 || read[0].Rating != 4 || !slices.Equal(read[0].Subject, tags) {
		t.Errorf("exiftool reads %s, %v", out, err)
	}
}

func TestSidecarsWithoutAPlaceForStarsStay(t *testing.T) {
	dir := t.TempDir()
	theirs := []byte(`<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2"><edits/></x:xmpmeta>`)
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, theirs, 0o600))
	picture, linked, folder := filepath.Join(dir, "a.jpg"), filepath.Join(dir, "b.jpg"), filepath.Join(dir, "c.jpg")
	require.NoError(t, os.WriteFile(picture+Suffix, theirs, 0o600))
	require.Link(t, other, linked+Suffix)
	require.NoError(t, os.Mkdir(folder+Suffix, 0o700))
	for _, p := range []string{picture, linked, folder} {
		if written, err := Write(p, 5, nil); !errors.Is(err, ErrForeign) || written {
			t.Errorf("%s: %v, %v", p, written, err)
		}
	}
	for _, p := range []string{picture + Suffix, other} {
		if raw, err := os.ReadFile(p); err != nil || string(raw) != string(theirs) {
			t.Errorf("%s: %s, %v", p, raw, err)
		}
	}
}
