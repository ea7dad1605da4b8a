package i18n

import "time"

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
		day := t.Format("1月2日") + "（" + string([]rune("日月火水木金土")[t.Weekday()]) + "）"
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
