package sidecar

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
)

// darktable's sidecar of a picture that was developed, shortened.
const darktable = `<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about=""
    xmlns:xmp="http://ns.adobe.com/xap/1.0/"
    xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:darktable="http://darktable.sf.net/"
   xmp:Rating="1"
   darktable:history_end='2'>
   <dc:subject>
    <rdf:Bag>
     <rdf:li>雪 &amp; 氷</rdf:li>
     <rdf:li>winter</rdf:li>
    </rdf:Bag>
   </dc:subject>
   <darktable:history>
    <rdf:Seq>
     <rdf:li darktable:num="0" darktable:operation="exposure" darktable:params="gz02eJxjYGBgkGAAgRNODGiAEV0AJ2iwh+CRyscOAAdeGQQ="/>
    </rdf:Seq>
   </darktable:history>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
`

// TestStarsAndTagsAreWrittenIntoOtherProgramsSidecars: a pair of each replacement is what was, and what is then.
func TestStarsAndTagsAreWrittenIntoOtherProgramsSidecars(t *testing.T) {
	const lone = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:xmp="urn:other"><rdf:Description  rdf:about="" /></rdf:RDF>`
	const twice = "\ufeff" + `<a:RDF xmlns:a='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>` + "\r\n" +
		` <a:Description a:about='' xmlns:t='http://ns.adobe.com/tiff/1.0/'><t:Make>A "B" > C</t:Make></a:Description>` + "\r\n" +
		` <a:Description a:about='' xmlns:xmp='http://ns.adobe.com/xap/1.0/'>` + "\r\n" + `  <xmp:Rating>2</xmp:Rating>` + "\r\n" + ` </a:Description>` + "\r\n" +
		`</a:RDF><!-- stays -->` + "\r\n"
	for name, c := range map[string]struct {
		was     string
		rating  int
		tags    []string
		changes []string
	}{
		"stars":               {darktable, 4, nil, []string{`xmp:Rating="1"`, `xmp:Rating="4"`}},
		"a tag":               {darktable, 0, []string{"winter", "a<b", "雪 & 氷"}, []string{"winter</rdf:li>", "winter</rdf:li>\n     <rdf:li>a&lt;b</rdf:li>"}},
		"what is there":       {darktable, 1, []string{"winter"}, nil},
		"an empty bag":        {strings.Replace(lone, " />", `><d:subject xmlns:d="http://purl.org/dc/elements/1.1/"><rdf:Bag/></d:subject></rdf:Description>`, 1), 0, []string{"x"}, []string{`<rdf:Bag/>`, `<rdf:Bag><rdf:li>x</rdf:li></rdf:Bag>`}},
		"an empty rating":     {strings.Replace(lone, " />", `><q:Rating xmlns:q="http://ns.adobe.com/xap/1.0/"/></rdf:Description>`, 1), 5, nil, []string{`xap/1.0/"/>`, `xap/1.0/">5</q:Rating>`}},
		"stars in an element": {twice, 3, nil, []string{"<xmp:Rating>2<", "<xmp:Rating>3<"}},
		"a single tag": {lone, 5, []string{"b", "a"}, []string{
			` />`, ` xmlns:xmp1="http://ns.adobe.com/xap/1.0/" xmp1:Rating="5" >` + "\n" + ` <dc:subject xmlns:dc="http://purl.org/dc/elements/1.1/">` + "\n" + `  <rdf:Bag>` +
				"\n   <rdf:li>a</rdf:li>\n   <rdf:li>b</rdf:li>\n  </rdf:Bag>\n </dc:subject>\n</rdf:Description>",
		}},
		"the first tags": {twice, 0, []string{"x"}, []string{
			`tiff/1.0/'>`, `tiff/1.0/'>` + "\r\n" + `  <dc:subject xmlns:dc="http://purl.org/dc/elements/1.1/">` + "\r\n" + `   <a:Bag>` + "\r\n" + `    <a:li>x</a:li>` +
				"\r\n" + `   </a:Bag>` + "\r\n" + `  </dc:subject>`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			picture := filepath.Join(t.TempDir(), "a.jpg")
			require.NoError(t, os.WriteFile(picture+Suffix, []byte(c.was), 0o640))
			want := strings.NewReplacer(c.changes...).Replace(c.was)
			written, err := Write(picture, c.rating, c.tags)
			raw, _ := os.ReadFile(picture + Suffix)
			if err != nil || written != (len(c.changes) > 0) || string(raw) != want {
				t.Errorf("%v, %v:\n%s\nwant:\n%s", written, err, raw, want)
			}
			if info, err := os.Stat(picture + Suffix); err != nil || info.Mode().Perm() != 0o640 && runtime.GOOS != "windows" { // which has no such modes
				t.Errorf("its mode is %v, %v", info.Mode(), err)
			}
			if written, err := Write(picture, c.rating, c.tags); err != nil || written {
				t.Errorf("again: %v, %v", written, err)
			}
		})
	}
}

func TestSidecarsThatCannotBeMergedStay(t *testing.T) {
	const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">`
	for _, was := range []string{
		"", "<x/>", "no xml", darktable[:300], "\xff\xfe<\x00x\x00",
		rdf + `<rdf:Description dc:subject="a"/></rdf:RDF>`,
		rdf + `<rdf:Description><dc:subject>a, b</dc:subject></rdf:Description></rdf:RDF>` + `<`,
		rdf + `<rdf:Description><dc:subject rdf:parseType="Resource"/></rdf:Description></rdf:RDF>`,
	} {
		picture := filepath.Join(t.TempDir(), "a.jpg")
		require.NoError(t, os.WriteFile(picture+Suffix, []byte(was), 0o600))
		if written, err := Write(picture, 3, []string{"x"}); !errors.Is(err, ErrForeign) || written {
			t.Errorf("%q: %v, %v", was, written, err)
		}
		if raw, err := os.ReadFile(picture + Suffix); err != nil || string(raw) != was {
			t.Errorf("%q became %q, %v", was, raw, err)
		}
	}
}

// TestExiftoolReadsWhatWasMerged: our stars and tags, and everything that it has written itself.
func TestExiftoolReadsWhatWasMerged(t *testing.T) {
	program := exiftool(t)
	picture := filepath.Join(t.TempDir(), "写真.jpg")
	read := func() map[string]any {
		out, err := exec.CommandContext(t.Context(), program, "-json", "-struct", "-G1", "-XMP:all", picture+Suffix).Output()
		require.NoError(t, err)
		var all []map[string]any
		require.NoError(t, json.Unmarshal(out, &all))
		return all[0]
	}
	for _, theirs := range [][]string{
		{"-XMP-dc:Title=冬 <1>", "-XMP-tiff:Make=Canon", "-XMP-xmp:Rating=2", "-XMP-dc:Subject=snow", "-XMP-dc:Subject=ice", "-XMP-photoshop:City=札幌"},
		{"-XMP-dc:Creator=A & B", "-XMP-exif:ISO=200"},
	} {
		_ = os.Remove(picture + Suffix)
		require.NoError(t, exec.CommandContext(t.Context(), program, append(theirs, picture+Suffix)...).Run())
		was := read()
		written, err := Write(picture, 5, []string{"残す", "ice"})
		require.NoError(t, err)
		now := read()
		subjects, _ := now["XMP-dc:Subject"].([]any)
		if !written || now["XMP-xmp:Rating"] != 5.0 || !slices.Contains(subjects, any("残す")) || !slices.Contains(subjects, any("ice")) ||
			was["XMP-dc:Subject"] != nil && (!slices.Contains(subjects, any("snow")) || len(subjects) != 3) {
			t.Errorf("%v became %v", was, now)
		}
		for _, m := range []map[string]any{was, now} {
			maps.DeleteFunc(m, func(k string, _ any) bool { return k == "XMP-xmp:Rating" || k == "XMP-dc:Subject" })
		}
		if !reflect.DeepEqual(was, now) {
			t.Errorf("%v became %v", was, now)
		}
	}
}
