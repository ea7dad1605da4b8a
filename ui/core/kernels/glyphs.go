package kernels

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

//go:embed fonts.py
var fontsSource string

// A font is one of the kernel's machine that has characters which a plot lacked.
type font struct {
	Name string `json:"name"`
	Has  int    `json:"has"`  // how many of them
	File string `json:"file"` // matplotlib does not know it; "" if it does
}

// glyphHint asks the kernel, once code of ours has ended in it, for a font that has what
// matplotlib drew as boxes, and tells how to set it; "" if nothing was missing.
func (r *recorder) glyphHint(u *run) string {
	if !u.own || !r.python() {
		return ""
	}
	r.flushText()
	u.x.mu.Lock()
	head, tail, _ := u.x.stderr.parts()
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
	if err := r.ask(ctx, expression(variablesSource+fontsSource, call), &f); err != nil {
		r.log.Info("asking for a font", "err", err)
	}
	return glyphAdvice(missing, f)
}

// glyphAdvice tells what a plot lacks, and the line of code that helps.
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

// manyCharacters is how many characters are named.
const manyCharacters = 10

func characters(cs []rune) string {
	shown := cs[:min(len(cs), manyCharacters)]
	text := "“" + string(shown) + "”"
	if more := len(cs) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// pythonText writes a text as Python does, if it can.
func pythonText(s string) string {
	if strings.ContainsAny(s, `'\`) {
		return quote(s)
	}
	return "'" + s + "'"
}
