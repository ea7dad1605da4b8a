package i18n

import (
	"fmt"
	"time"
)

// Day returns the name of the day of t: Today, Yesterday, or its date with the day of the week. The year is
// part of it if it is not this one.
func (c *Catalog) Day(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch DaysBetween(t, now) {
	case 0:
		return c.T("day.today")
	case 1:
		return c.T("day.yesterday")
	}
	if c.lang == "ja" {
		day := fmt.Sprintf("%s（%s）", c.Date(t), []string{"日", "月", "火", "水", "木", "金", "土"}[t.Weekday()])
		if t.Year() != now.Year() {
			day = fmt.Sprintf("%d年%s", t.Year(), day)
		}
		return day
	}
	if t.Year() != now.Year() {
		return t.Format("Mon 2 Jan 2006")
	}
	return t.Format("Mon 2 Jan")
}

// Date returns the day and the month of t.
func (c *Catalog) Date(t time.Time) string {
	t = t.Local()
	if c.lang == "ja" {
		return fmt.Sprintf("%d月%d日", t.Month(), t.Day())
	}
	return t.Format("2 Jan")
}

// Month returns the name of the month of t. The year is part of it if it is not this one.
func (c *Catalog) Month(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	same := t.Year() == now.Year()
	switch {
	case c.lang == "ja" && same:
		return fmt.Sprintf("%d月", t.Month())
	case c.lang == "ja":
		return fmt.Sprintf("%d年%d月", t.Year(), t.Month())
	case same:
		return t.Format("January")
	}
	return t.Format("January 2006")
}

// DaysBetween returns how many days of the local calendar are from the day of t to that of now.
func DaysBetween(t, now time.Time) int {
	day := func(t time.Time) int64 {
		y, m, d := t.Local().Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
	}
	return int(day(now) - day(t))
}
