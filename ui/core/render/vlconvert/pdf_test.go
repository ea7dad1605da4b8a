package vlconvert

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"easel/ui/core/render"
)

const pdfType = "application/pdf"

// document returns a PDF with pages of 144 by 72 points. A red rectangle fills the left
// half of each.
func document(pages int, title string) []byte {
	const content = "0.8392 0.1529 0.1569 rg 0 0 72 72 re f"
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content), "<< /Title (" + title + ") >>"}
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", len(objects)+1+i)
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", pages, kids.String())
	for range pages {
		objects = append(objects, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 144 72] /Contents 3 0 R >>")
	}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var places []int
	for i, o := range objects {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer << /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return []byte(b.String())
}

func TestLivePDF(t *testing.T) {
	e := newEngine(t, nil)
	p, m := draw(t, e, render.Request{MIME: pdfType, Data: document(3, "Sales"), Scale: 2})
	if m.Bounds().Size() != image.Pt(384, 192) || p.Title != "Sales" || p.Pages != 3 { // 144 points are 192 CSS pixels
		t.Errorf("%v, %q, %d pages", m.Bounds().Size(), p.Title, p.Pages)
	}
	if left, right := hex(m, image.Pt(90, 90)), hex(m, image.Pt(300, 90)); left != "d62728" || right != "ffffff" {
		t.Errorf("left %s, right %s", left, right)
	}
	if _, err := e.Draw(t.Context(), render.Request{MIME: pdfType, Data: document(1, ""), Format: "svg"}); !errors.Is(err, render.ErrFormat) {
		t.Errorf("as SVG: %v", err)
	}
	for name, c := range map[string]struct{ data, want string }{
		"not a PDF": {"<svg/>", "not a valid PDF"},
		"cut off":   {string(document(1, "")[:60]), "not a valid PDF"},
		"no pages":  {string(document(0, "")), "not a valid PDF"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := e.Draw(t.Context(), render.Request{MIME: pdfType, Data: []byte(c.data)})
			if refused, ok := errors.AsType[*render.RefusedError](err); !ok || !strings.Contains(refused.Reason, c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
