package inspect

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"easel/ui/core/oversight"
)

//go:embed fonts.py
var fontsSource string

// A font is a font on the kernel's machine with characters that were missing in a plot.
type font struct {
	Name string `json:"name"`
	Has  int    `json:"has"`  // the number of missing characters that it has
	File string `json:"file"` // to add to matplotlib; "" if matplotlib knows the font
}

// lacking matches matplotlib's message about a character that the fonts of a text lack. The
// message for formulas differs; formulas have their own fonts.
var lacking = regexp.MustCompile(`Glyph (\d+) \([^)\n]*\) missing from `)

// MissingGlyphs returns the characters that matplotlib drew as boxes, in the order of its
// messages, each once.
func MissingGlyphs(stderr string) []rune {
	var missing []rune
	for _, m := range lacking.FindAllStringSubmatch(stderr, -1) {
		n, err := strconv.ParseInt(m[1], 10, 32)
		if c := rune(n); err == nil && !slices.Contains(missing, c) {
			missing = append(missing, c)
		}
	}
	return missing
}

// FindFont asks a kernel for a font that has characters, among its own fonts and the files that
// it can read, and returns a hint with the code that sets it. limit is the time for that. After an
// error, the hint names no font.
func FindFont(ctx context.Context, k Kernel, missing []rune, files []string, limit time.Duration) (hint string, err error) {
	raw, err := json.Marshal(files)
	if err != nil || files == nil {
		raw = []byte("[]")
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	call := "fonts(" + Quote(string(missing)) + ", " + string(raw) + ", " + strconv.FormatFloat(limit.Seconds()/2, 'f', -1, 64) + ")"
	var f font
	err = k.Ask(ctx, oversight.FindFont, Question{Task: "find fonts", Python: Expression(call, fontsSource)}, &f)
	return fontAdvice(missing, f), err
}

// fontAdvice returns a hint about missing characters and the code that sets the font f.
func fontAdvice(missing []rune, f font) string {
	what := "The plot shows boxes instead of " + characters(missing) + ", which its font lacks. "
	if f.Has == 0 {
		return what + "No font that has them was found where the kernel runs: install one, for example Noto Sans CJK for Japanese, or use other characters."
	}
	which := f.Name + " has them"
	if f.Has < len(missing) {
		which = fmt.Sprintf("%s has %d of the %d", f.Name, f.Has, len(missing))
	}
	line := fmt.Sprintf("import matplotlib; matplotlib.rcParams['font.family'] = [%s, 'DejaVu Sans']", pythonText(f.Name))
	if f.File != "" {
		line = fmt.Sprintf("from matplotlib import font_manager, rcParams; font_manager.fontManager.addfont(%s); rcParams['font.family'] = [%s, 'DejaVu Sans']",
			pythonText(f.File), pythonText(f.Name))
	}
	return what + which + ": run `" + line + "` (after any style or theme) and draw again."
}

// manyCharacters is the largest number of missing characters that a hint lists.
const manyCharacters = 10

func characters(cs []rune) string {
	shown := cs[:min(len(cs), manyCharacters)]
	text := "“" + string(shown) + "”"
	if more := len(cs) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// pythonText returns s as a Python string literal, in single quotes if possible.
func pythonText(s string) string {
	if strings.ContainsAny(s, `'\`) {
		return Quote(s)
	}
	return "'" + s + "'"
}
