// Package i18n has the words of the window, in English and Japanese.
//
// A message has a key, as "gallery.empty.title", and one text for each language.
// Texts are formats of package fmt; Japanese ones may reorder by %[2]s. A text that
// counts has a second key ending in ".one" where its language needs one.
//
// # Goroutines
//
// A Catalog is immutable.
package i18n

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

//go:embed *.json
var files embed.FS

// Languages lists the languages, by their codes.
var Languages = []string{"en", "ja"}

// A Catalog is the words in one language.
type Catalog struct {
	lang  string
	words map[string]string
}

// New is the catalog of a language: en, ja, or "" for the system's.
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
		panic(fmt.Sprintf("i18n: %s: %v", lang, err)) // the file is compiled in, and tested
	}
	return c
}

// System is the language that the environment asks for.
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

// Every is the text of a key in each language, as it is before it is formatted.
func Every(key string) []string {
	texts := make([]string, len(Languages))
	for i, lang := range Languages {
		texts[i] = New(lang).T(key)
	}
	return texts
}

// Lang is the catalog's language: en or ja.
func (c *Catalog) Lang() string { return c.lang }

// T is the text of key, formatted with args. An unknown key is its own text, so
// that it is seen.
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

// Has tells whether key has a text.
func (c *Catalog) Has(key string) bool {
	_, ok := c.words[key]
	return ok
}

// N is the text of key for a number of things, which is its first argument.
func (c *Catalog) N(key string, n int, args ...any) string {
	if one, ok := c.words[key+".one"]; n == 1 && ok {
		if key += ".one"; !strings.Contains(one, "%") {
			return one // it speaks of the one without its number
		}
	}
	return c.T(key, append([]any{n}, args...)...)
}

// Clock is a time of day, as 14:03.
func (c *Catalog) Clock(t time.Time) string { return t.Local().Format("15:04") }

// When is the time of the day, with the date unless that is today's.
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

// Ago says how long before now t was, roughly.
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

// Duration is a span of time, short: 230 ms, 4.2 s, 3:07.
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

// Bytes is a size in the units of disks: 12 kB, 3.4 MB.
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
