package kernels

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

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

// glyphHint returns a hint with a font that has the characters that matplotlib drew as
// boxes in u, or "" if none were missing. It asks the kernel for the font, only for code
// that Easel ran, after its end.
func (r *recorder) glyphHint(u *run) string {
	if !u.own || !r.python() {
		return ""
	}
	r.flushText()
	u.x.mu.Lock()
	head, tail, _ := u.x.stderr.within(modelStream)
	missing := missingGlyphs(string(head) + string(tail))
	u.x.mu.Unlock()
	if len(missing) == 0 {
		return ""
	}
	files, err := json.Marshal(r.m.cfg.Fonts)
	if err != nil || r.m.cfg.Fonts == nil {
		files = []byte("[]")
	}
	ctx, cancel := context.WithTimeout(r.m.ctx, r.m.timing.fonts)
	defer cancel()
	call := "fonts(" + quote(string(missing)) + ", " + string(files) + ", " + strconv.FormatFloat(r.m.timing.fonts.Seconds()/2, 'f', -1, 64) + ")"
	var f font
	if err := r.ask(ctx, oversight.FindFont, expression(variablesSource+fontsSource, call), &f); err != nil {
		r.log.Info("asking for a font", "err", err)
	}
	return glyphAdvice(missing, f)
}

// glyphAdvice returns a hint about missing characters and the code that sets the font f.
func glyphAdvice(missing []rune, f font) string {
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
		return quote(s)
	}
	return "'" + s + "'"
}
