package library

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Listed returns the variables in words, one by one.
func (h *EndState) Listed() []string {
	var list []string
	for _, v := range h.Variables {
		list = append(list, v.Name+" ("+strings.Join(slices.DeleteFunc([]string{v.Type, v.Size}, func(s string) bool { return s == "" }), ", ")+")")
	}
	if h.More > 0 {
		list = append(list, fmt.Sprintf("and %d more", h.More))
	}
	return list
}

// UnusedFor returns the time without use in hours, minutes or seconds, rounded, for example
// "4 hours".
func (h *EndState) UnusedFor() string {
	switch d := h.Unused; {
	case d >= time.Hour:
		return plural(int(d.Round(time.Hour)/time.Hour), "hour")
	case d >= time.Minute:
		return plural(int(d.Round(time.Minute)/time.Minute), "minute")
	default:
		return plural(int(d.Round(time.Second)/time.Second), "second")
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
