// Package i18n contains the texts of the window, in English and Japanese.
//
// A message has a key, for example "gallery.empty.title", and one text for each
// language. Texts are formats of package fmt; Japanese ones may reorder arguments, as
// in %[2]s. A text with a count has a second key, with the suffix ".one", if its
// language needs one.
//
// # Goroutines
//
// A Catalog is immutable.
package i18n

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

//go:embed *.json
var files embed.FS

// Languages lists the codes of the languages.
var Languages = []string{"en", "ja"}

// A Catalog contains the texts in one language.
type Catalog struct {
	lang  string
	words map[string]string
}

// New returns the catalog of a language: en, ja, or "" for the system's. Other
// languages mean en.
func New(lang string) *Catalog {
	if lang == "" {
		lang = System(os.Getenv)
	}
	if lang != "ja" {
		lang = "en"
	}
	c := &Catalog{lang: lang}
	raw, err := files.ReadFile(lang + ".json")
	if err == nil {
		err = json.Unmarshal(raw, &c.words)
	}
	if err != nil {
		panic(fmt.Sprintf("i18n: %s: %v", lang, err)) // the file is embedded, and tested
	}
	return c
}

// System returns the language that the environment selects.
func System(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			if strings.HasPrefix(v, "ja") {
				return "ja"
			}
			return "en"
		}
	}
	return "en"
}

// Every returns the text of a key in each language, unformatted.
func Every(key string) []string {
	texts := make([]string, len(Languages))
	for i, lang := range Languages {
		texts[i] = New(lang).T(key)
	}
	return texts
}

// Lang returns the catalog's language: en or ja.
func (c *Catalog) Lang() string { return c.lang }

// T returns the text of key, formatted with args. For an unknown key it returns the
// key, which makes the error visible.
func (c *Catalog) T(key string, args ...any) string {
	s, ok := c.words[key]
	if !ok {
		return key
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// Has reports whether key has a text.
func (c *Catalog) Has(key string) bool {
	_, ok := c.words[key]
	return ok
}

// N returns the text of key for n things. n is the first argument of the format.
func (c *Catalog) N(key string, n int, args ...any) string {
	if one, ok := c.words[key+".one"]; n == 1 && ok {
		if key += ".one"; !strings.Contains(one, "%") {
			return one // the text does not contain the number
		}
	}
	return c.T(key, append([]any{Number(n)}, args...)...)
}

// A Number is a count. It is written with groups of digits, also by %d: 50,000.
type Number int

// String writes the number.
func (n Number) String() string {
	digits := strconv.Itoa(int(n))
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Format implements fmt.Formatter.
func (n Number) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, n.String()) } // writes into memory

// Clock formats a time of day, for example 14:03.
func (c *Catalog) Clock(t time.Time) string { return t.Local().Format("15:04") }

// When formats a time: the time of day if it is today, with the date if it is this
// year, and otherwise only the date.
func (c *Catalog) When(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch {
	case t.YearDay() == now.YearDay() && t.Year() == now.Year():
		return c.Clock(t)
	case t.Year() == now.Year():
		return t.Format("01-02 15:04")
	default:
		return t.Format("2006-01-02")
	}
}

// Ago says roughly how long before now t was. After a week, it returns the date.
func (c *Catalog) Ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < time.Minute:
		return c.T("time.now")
	case d < time.Hour:
		return c.T("time.minutes", int(d.Minutes()))
	case d < 24*time.Hour:
		return c.T("time.hours", int(d.Hours()))
	case d < 7*24*time.Hour:
		return c.T("time.days", int(d.Hours()/24))
	default:
		return t.Local().Format("2006-01-02")
	}
}

// Duration formats a duration, for example 230 ms, 4.2 s or 3:07.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
	}
}

// Bytes formats a size in decimal units, for example 12 kB or 3.4 MB.
func Bytes(n int64) string {
	const k = 1000
	if n < k {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n)/k, 0
	for v >= k && unit < 3 {
		v /= k
		unit++
	}
	if v >= 10 {
		return fmt.Sprintf("%.0f %s", v, []string{"kB", "MB", "GB", "TB"}[unit])
	}
	return fmt.Sprintf("%.1f %s", v, []string{"kB", "MB", "GB", "TB"}[unit])
}
