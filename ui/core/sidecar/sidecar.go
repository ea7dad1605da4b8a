// Package sidecar writes the stars and tags of a picture on disk into a file beside it, for other programs:
// photo.jpg.xmp, as darktable and digiKam read it
// (https://docs.darktable.org/usermanual/4.2/en/overview/sidecar-files/sidecar). Stars are xmp:Rating, tags
// dc:subject. Lightroom reads no sidecar of a JPEG or PNG. In a sidecar that another program has written, only these two
// change.
//
// # Goroutines
//
// The package starts none. Its functions may be called from any goroutine.
package sidecar

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"easel/internal/atomicfile"
	"easel/internal/system"
)

// Suffix follows the name of the picture.
const Suffix = ".xmp"

// ErrForeign is returned for a sidecar of another program that has no place for stars and tags: it is no XMP, is a link, or
// has them in an unknown form. It is not changed: it may have edits of the picture.
var ErrForeign = errors.New("the sidecar is another program's, and is no XMP that stars and tags can be written into")

// toolkit is what our sidecars say about their origin.
const toolkit = `x:xmptk="Easel"`

// most is the largest size of a sidecar, in bytes. Masks that were drawn by hand need some.
const most = 32 << 20

// Write writes the sidecar of a picture, and reports whether that has changed anything. A picture without
// stars and tags gets one only if it has one already. In another program's sidecar, stars and tags that the picture
// does not have stay.
func Write(picture string, rating int, tags []string) (written bool, err error) {
	path := picture + Suffix
	was, err := system.ReadRegular(path, most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if rating == 0 && len(tags) == 0 {
			return false, nil
		}
		return true, atomicfile.Write(path, content(rating, tags), 0o644)
	case errors.Is(err, system.ErrNotRegular):
		return false, fmt.Errorf("%s: %w", path, ErrForeign)
	case err != nil:
		return false, err
	}
	now := content(rating, tags)
	if !ours(was) {
		if rating == 0 && len(tags) == 0 {
			return false, nil
		}
		if now, err = merge(was, rating, tags); err != nil {
			return false, fmt.Errorf("%s: %w: %w", path, ErrForeign, err)
		}
	}
	if bytes.Equal(was, now) {
		return false, nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return false, fmt.Errorf("%s: %w", path, ErrForeign)
	}
	return true, atomicfile.Write(path, now, info.Mode().Perm())
}

// ours reports whether a sidecar is as Easel writes it, and nobody has added to it since.
func ours(was []byte) bool {
	if !bytes.Contains(was, []byte(toolkit)) {
		return false
	}
	d, err := parse(was)
	return err == nil && bytes.Equal(was, content(d.rating, d.tags))
}

// content returns a sidecar.
func content(rating int, tags []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<?xpacket begin="%s" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/" %s>
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about=""
    xmlns:xmp="http://ns.adobe.com/xap/1.0/"
    xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmp:Rating="%d">
`, "\ufeff", toolkit, rating)
	if len(tags) > 0 {
		b.WriteString("   <dc:subject>\n    <rdf:Bag>\n")
		for _, tag := range slices.Sorted(slices.Values(tags)) {
			b.WriteString("     <rdf:li>")
			_ = xml.EscapeText(&b, []byte(tag)) // a buffer does not fail
			b.WriteString("</rdf:li>\n")
		}
		b.WriteString("    </rdf:Bag>\n   </dc:subject>\n")
	}
	b.WriteString("  </rdf:Description>\n </rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>\n")
	return b.Bytes()
}
