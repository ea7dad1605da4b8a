package redraw

import (
	"fmt"
	"slices"
)

// A Reason is why a figure cannot be drawn again.
type Reason string

// The reasons. The window has a text for each.
const (
	Busy     Reason = "busy"     // the kernel runs code
	Ended    Reason = "ended"    // the session has ended
	Unjoined Reason = "unjoined" // Easel is not connected to the session
	Gone     Reason = "gone"     // the kernel has not drawn it, for example because it restarted
	Plain    Reason = "plain"    // the picture is no matplotlib figure
	Off      Reason = "off"      // the kernel keeps no figures
	Old      Reason = "old"      // newer figures have taken its place
	Large    Reason = "large"    // it takes too much memory to be kept
	Changed  Reason = "changed"  // the code changed it after it was displayed
	Fixed    Reason = "fixed"    // its colours cannot be changed
	File     Reason = "file"     // the picture is a file, without a session
	Language Reason = "language" // Easel cannot ask the kernel in its language
	Engine   Reason = "engine"   // no engine can draw it; Detail says why
	Format   Reason = "format"   // its engine cannot write this format
	Theme    Reason = "theme"    // its engine cannot change its colours
	TooLarge Reason = "too_large"
	Slow     Reason = "slow"     // it takes too long
	Denied   Reason = "denied"   // the user does not allow code to run, as a stored figure would
	Foreign  Reason = "foreign"  // this Easel has not stored the figure
	Unloaded Reason = "unloaded" // the environment cannot load the stored figure; Detail says why
	Failed   Reason = "failed"   // drawing failed; Detail says why
	Invalid  Reason = "invalid"  // the request is not valid; Detail says why
)

// An Error says why a figure cannot be drawn again.
type Error struct {
	Reason Reason
	Detail string
	Err    error // its cause; may be nil
}

// texts says for each reason what is wrong, and what to do.
var texts = map[Reason][2]string{
	Busy:     {"the kernel is busy", "Wait until the code has ended, then try again."},
	Ended:    {"the session of this picture has ended", again},
	Unjoined: {"Easel is not connected to the session of this picture", "Connect to it, then try again."},
	Gone:     {"the kernel does not have this figure, for example because it was restarted", again},
	Plain:    {"this picture is not a matplotlib figure, so its kernel cannot draw it again", "Draw it in the wanted size with code."},
	Off:      {"this kernel keeps no figures", "The user can allow it in the settings under Running code. Then run the code again."},
	Old:      {"the kernel no longer has this figure: newer figures have taken its place", again},
	Large:    {"the figure is too large to be kept in the kernel", "Save it from the code, with savefig."},
	Changed:  {"the code changed this figure after it was displayed", "Display it again, and use that picture."},
	Fixed:    {"the colours of this figure cannot be changed, because the kernel cannot copy it", "Omit the theme."},
	File:     {"this picture is a file, so there is no kernel that could draw it again", "Open the plot in its session."},
	Language: {"Easel cannot have kernels of this language draw their plots again", "Draw it in the wanted size with code."},
	Engine:   {"this figure cannot be drawn", ""},
	Format: {
		"figures of this kind cannot be written as SVG or PDF",
		"Use png or jpeg, with a higher dpi for print. For a vector, write the file with code: in Plotly, with fig.write_image, which needs kaleido.",
	},
	Theme:    {"the colours of figures of this kind cannot be changed", "Omit the theme."},
	TooLarge: {"the picture would be too large", "Use a smaller size or fewer dots per inch."},
	Slow:     {"drawing the figure takes too long", "Use a smaller size or fewer dots per inch."},
	Denied:   {"drawing the stored figure runs code, which the user does not allow now", "Ask the user to allow it or to save the plot."},
	Foreign:  {"the stored figure is not as this Easel has stored it, so it is not loaded", again},
	Unloaded: {"the stored figure cannot be loaded", again},
	Failed:   {"drawing the figure failed", again},
	Invalid:  {"the request is not valid", ""},
}

const again = "Run the code again, and use the new picture; or use the stored picture as it is."

// Reasons lists all reasons.
func Reasons() []Reason {
	all := make([]Reason, 0, len(texts))
	for r := range texts {
		all = append(all, r)
	}
	slices.Sort(all)
	return all
}

// Error says what is wrong.
func (e *Error) Error() string {
	text := texts[e.Reason][0]
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Remedy says what to do.
func (e *Error) Remedy() string { return texts[e.Reason][1] }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// check refuses a request that cannot be fulfilled.
func check(q Request) error {
	invalid := func(format string, args ...any) error {
		return &Error{Reason: Invalid, Detail: fmt.Sprintf(format, args...)}
	}
	if !slices.Contains(Formats, q.Format) {
		return invalid("the format %q is not one of %q", q.Format, Formats)
	}
	for _, side := range []struct {
		name string
		size float64
	}{{"width", q.Width}, {"height", q.Height}} {
		if side.size != 0 && !(side.size >= LeastInches && side.size <= MostInches) {
			return invalid("the %s of %g inches is not between %g and %g", side.name, side.size, LeastInches, MostInches)
		}
	}
	if q.DPI != 0 && !(q.DPI >= LeastDPI && q.DPI <= MostDPI) {
		return invalid("%g dpi are not between %g and %g", q.DPI, LeastDPI, MostDPI)
	}
	if q.Theme != "" && q.Theme != "light" && q.Theme != "dark" {
		return invalid("the theme %q is neither light nor dark", q.Theme)
	}
	if pixels := q.Width * q.Height * q.DPI * q.DPI; pixels > MostPixels && (q.Format == PNG || q.Format == JPEG) {
		return &Error{Reason: TooLarge, Detail: fmt.Sprintf("%.0f by %.0f pixels are more than %d million", q.Width*q.DPI, q.Height*q.DPI,
			MostPixels/1_000_000)}
	}
	return nil
}
