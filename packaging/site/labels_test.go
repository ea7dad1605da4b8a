package main

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLabelsOfTheWindow looks for the buttons and settings that users' pages name in what the window shows.
func TestLabelsOfTheWindow(t *testing.T) {
	english := regexp.MustCompile(`(?i:click|choose|turn on|turn off) \*\*([^*]+)\*\*|\*\*Settings → ([^*]+)\*\*`)
	japanese := regexp.MustCompile(`\*\*「([^」]+)」\*\*()`)
	found := 0
	for _, source := range markdownFiles(t) {
		if forContributors(source) || !strings.HasPrefix(source, "docs/") && source != "README.md" {
			continue
		}
		language, named := "en", english
		if strings.HasSuffix(source, ".ja.md") {
			language, named = "ja", japanese
		}
		shown := labels(t, language)
		for _, m := range named.FindAllStringSubmatch(string(readSource(t, source)), -1) {
			for label := range strings.SplitSeq(strings.Join(strings.Fields(m[1]+m[2]), " "), " → ") {
				found++
				if !slices.Contains(shown, label) && !slices.Contains(ofOthers, label) {
					t.Errorf("%s: the window shows no %q", source, label)
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d labels were found", found)
	}
}

// ofOthers are labels of Windows and VS Code.
var ofOthers = []string{"Apps", "Install from VSIX…"}

func labels(t *testing.T, language string) []string {
	t.Helper()
	var texts map[string]string
	if err := json.Unmarshal(readSource(t, "ui/window/i18n/"+language+".json"), &texts); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(maps.Values(texts))
}

// TestTheJapaneseGuideHasAllParts compares the sections with those of the English one.
func TestTheJapaneseGuideHasAllParts(t *testing.T) {
	sections := func(source string) (n int) {
		for line := range strings.SplitSeq(string(readSource(t, source)), "\n") {
			if strings.HasPrefix(line, "## ") {
				n++
			}
		}
		return n
	}
	if en, ja := sections("docs/guide.md"), sections("docs/guide.ja.md"); en != ja || en < 6 {
		t.Errorf("the guide has %d sections in English and %d in Japanese", en, ja)
	}
}
