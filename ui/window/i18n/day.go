package i18n

import (
	"fmt"
	"time"
)

// Day names a day: today, yesterday, or its date, with the year if it is another one.
func (c *Catalog) Day(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	same := func(o time.Time) bool { return t.Year() == o.Year() && t.YearDay() == o.YearDay() }
	switch {
	case same(now):
		return c.T("time.today")
	case same(now.AddDate(0, 0, -1)):
		return c.T("time.yesterday")
	case c.lang == "ja":
		day := c.Date(t) + "（" + string([]rune("日月火水木金土")[t.Weekday()]) + "）"
		if t.Year() != now.Year() {
			day = t.Format("2006年") + day
		}
		return day
	case t.Year() != now.Year():
		return t.Format("Mon 2 Jan 2006")
	default:
		return t.Format("Mon 2 Jan")
	}
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
