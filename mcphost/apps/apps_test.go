package apps

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// TestThePageLoadsNothingAndInsertsOnlyText looks for what a sandbox would have to stop.
func TestThePageLoadsNothingAndInsertsOnlyText(t *testing.T) {
	for _, bad := range []string{
		`(?i)https?://`, `(?i)<(script|link|img|iframe)[^>]*\s(src|href)=`, `@import`, `url\(`, `\bfetch\(`, `XMLHttpRequest`, `WebSocket`, `import\(`,
		`(inner|outer)HTML`, `insertAdjacentHTML`, `document\.write`, `srcdoc`, `\beval\(`, `new Function`, `\sstyle="`, `\son\w+="`,
	} {
		if found := regexp.MustCompile(bad).FindString(viewer); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
}

// TestThePageSaysTheSameInBothLanguages compares the keys of its texts, and the values in them.
func TestThePageSaysTheSameInBothLanguages(t *testing.T) {
	keys := func(language string) (all []string) {
		block := regexp.MustCompile(`(?s)\n  ` + language + `: \{(.*?)\n  \},`).FindStringSubmatch(viewer)
		if block == nil {
			t.Fatalf("no texts in %s", language)
		}
		for _, m := range regexp.MustCompile(`(\w+): "([^"]*)"`).FindAllStringSubmatch(block[1], -1) {
			values := regexp.MustCompile(`\{\w+\}`).FindAllString(m[2], -1)
			slices.Sort(values)
			all = append(all, m[1]+" "+strings.Join(values, ""))
		}
		return all
	}
	if en, ja := keys("en"), keys("ja"); len(en) < 15 || !slices.Equal(en, ja) {
		t.Errorf("English %v, Japanese %v", en, ja)
	}
	for _, m := range regexp.MustCompile(`say\((?:n === 1 \? )?"(\w+)"`).FindAllStringSubmatch(viewer, -1) {
		if !slices.ContainsFunc(keys("en"), func(k string) bool { return strings.HasPrefix(k, m[1]+" ") }) {
			t.Errorf("the page says %q, which has no text", m[1])
		}
	}
}

// TestLinkedKeepsTheTool checks that a client's list changes neither the tool of the others nor what it has in _meta.
func TestLinkedKeepsTheTool(t *testing.T) {
	own := mcp.Tool{Name: "a", Meta: mcp.NewMetaFromMap(map[string]any{"x": true})}
	got := Linked(own)
	if len(own.Meta.AdditionalFields) != 1 || got.Meta.AdditionalFields["x"] != true || got.Meta.AdditionalFields[metaFlat] != ViewerURI {
		t.Errorf("the tool has %v, the linked one %v", own.Meta, got.Meta)
	}
	if got := Linked(mcp.Tool{Name: "b"}); got.Meta == nil || len(got.Meta.AdditionalFields) != 2 {
		t.Errorf("without _meta: %v", got.Meta)
	}
}
