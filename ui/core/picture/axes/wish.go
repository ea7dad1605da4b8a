package axes

import (
	"errors"
	"fmt"
	"image"
	"regexp"
	"strconv"
	"strings"
)

// A Wish names a part of a picture: pixels, one of its axes, or ranges of data.
type Wish struct {
	Pixels image.Rectangle // empty if the wish is for something else
	Axes   int             // a number as in [Axes]; 0: not said
	X, Y   *Span           // nil: the whole axis
}

// A Span is a range on an axis, as it was written.
type Span struct{ From, To string } // empty: up to the axis's end

// Forms says how to write a [Wish].
const Forms = `write x=3..4.5 and y=0..1 (either or both), axes 2, axes 2: x=3..4.5, or pixels as x,y,width,height`

var (
	pixelWish = regexp.MustCompile(`^(?:(?:pixels|px|xywh)\s*[=:]?\s*)?(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)$`)
	axesWish  = regexp.MustCompile(`(?i)^(?:axes|axis|ax)?\s*(\d+)\s*(?:$|[:,;]\s*|\s)`)
	ofAxes    = regexp.MustCompile(`(?i)[\s,;]*(?:of|in)\s+axes\s+(\d+)\s*$`)
	spanKey   = regexp.MustCompile(`(?:^|[\s,;])([xyXY])\s*(?:\([^)]*\)\s*|[=:]\s*)`)
	quoted    = regexp.MustCompile(`"[^"]*"`)
)

// ParseWish reads a wish; see [Forms].
func ParseWish(text string) (w Wish, err error) {
	text = strings.TrimSpace(text)
	if m := pixelWish.FindStringSubmatch(text); m != nil {
		var at [4]int
		for i := range at {
			v, err := strconv.ParseFloat(m[i+1], 64)
			if err != nil || v > 1<<20 {
				return w, fmt.Errorf("%s is too large a number of pixels", m[i+1])
			}
			at[i] = int(v)
		}
		if w.Pixels = image.Rect(at[0], at[1], at[0]+at[2], at[1]+at[3]); w.Pixels.Empty() {
			return w, errors.New("a width and height of at least one pixel are needed")
		}
		return w, nil
	}
	if m := axesWish.FindStringSubmatchIndex(text); m != nil {
		w.Axes, err = strconv.Atoi(text[m[2]:m[3]])
		text = text[m[1]:]
	} else if m := ofAxes.FindStringSubmatchIndex(text); m != nil {
		w.Axes, err = strconv.Atoi(text[m[2]:m[3]])
		text = text[:m[0]]
	}
	if err != nil {
		return w, errors.New("the number of the axes is too large")
	}
	if text = strings.TrimSpace(text); text == "" && w.Axes > 0 {
		return w, nil
	}
	return w, w.spans(text)
}

// spans reads ranges of x and y.
func (w *Wish) spans(text string) error {
	// A key in a name is none.
	hidden := quoted.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("~", len(s)) })
	keys := spanKey.FindAllStringSubmatchIndex(hidden, -1)
	if len(keys) == 0 || strings.TrimSpace(text[:keys[0][0]]) != "" {
		return fmt.Errorf("%q is no region: %s", text, Forms)
	}
	for i, k := range keys {
		end := len(text)
		if i+1 < len(keys) {
			end = keys[i+1][0]
		}
		s, err := spanOf(text[k[1]:end], hidden[k[1]:end])
		if err != nil {
			return err
		}
		into := &w.X
		if strings.EqualFold(text[k[2]:k[3]], "y") {
			into = &w.Y
		}
		if *into != nil {
			return fmt.Errorf("%s is given twice", strings.ToLower(text[k[2]:k[3]]))
		}
		*into = &s
	}
	return nil
}

// spanOf reads one range, such as 3..4.5. hidden is the same text without names in quotes.
func spanOf(text, hidden string) (s Span, err error) {
	trim := func(s string) string {
		s = strings.Trim(s, " \t,;[]")
		if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
			return s[1 : len(s)-1]
		}
		return s
	}
	for _, between := range []string{"..", "–", "…", " to "} {
		if at := strings.Index(hidden, between); at >= 0 {
			s = Span{trim(text[:at]), trim(strings.TrimLeft(text[at+len(between):], "."))}
			if s == (Span{}) {
				return s, fmt.Errorf("%q has neither a first nor a last value", strings.TrimSpace(text))
			}
			return s, nil
		}
	}
	one := trim(text)
	if one == "" {
		return s, errors.New("a range is empty: " + Forms)
	}
	return Span{one, one}, nil // of a category
}
