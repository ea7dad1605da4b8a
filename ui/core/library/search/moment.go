package search

import (
	"regexp"
	"strconv"
	"time"
)

// weekdays are the names of the days of the week, folded.
var weekdays = map[string]time.Weekday{
	"sun": 0, "sunday": 0, "日曜": 0, "日曜日": 0, "mon": 1, "monday": 1, "月曜": 1, "月曜日": 1, "tue": 2, "tuesday": 2, "火曜": 2, "火曜日": 2,
	"wed": 3, "wednesday": 3, "水曜": 3, "水曜日": 3, "thu": 4, "thursday": 4, "木曜": 4, "木曜日": 4, "fri": 5, "friday": 5, "金曜": 5, "金曜日": 5,
	"sat": 6, "saturday": 6, "土曜": 6, "土曜日": 6,
}

// The forms of times that a user may write, folded.
var (
	clockForm = regexp.MustCompile(`^(\d{1,2})(?::(\d{2})(?::(\d{2}))?|時(?:(\d{1,2})分)?)$`)
	agoForm   = regexp.MustCompile(`^(\d{1,5})(m|min|h|d|w|分|時間|日|日間|週間)$`)
	dateForm  = regexp.MustCompile(`^(?:(\d{4})[-/年])?(\d{1,2})[-/月](\d{1,2})日?(?:[t ](.+))?$`)
	monthForm = regexp.MustCompile(`^(?:(\d{4})[-/年])?(\d{1,2})月?$`)
	yearForm  = regexp.MustCompile(`^(\d{4})年?$`)
)

// units are the lengths of what agoForm counts.
var units = map[string]time.Duration{
	"m": time.Minute, "min": time.Minute, "分": time.Minute, "h": time.Hour, "時間": time.Hour,
	"d": 24 * time.Hour, "日": 24 * time.Hour, "日間": 24 * time.Hour, "w": 7 * 24 * time.Hour, "週間": 7 * 24 * time.Hour,
}

// moment reads a time: the beginning and the end of what s names. clock reports whether it is a time
// of day without a day; then it is today's.
func moment(s string, now time.Time) (from, to time.Time, clock, ok bool) {
	year, month, day := now.Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, now.Location())
	days := func(begin, n int) (time.Time, time.Time, bool, bool) {
		return today.AddDate(0, 0, begin), today.AddDate(0, 0, begin+n), false, true
	}
	sinceMonday := (int(today.Weekday()) + 6) % 7
	switch s {
	case "now", "今":
		return now, now, false, true
	case "today", "今日":
		return days(0, 1)
	case "yesterday", "昨日":
		return days(-1, 1)
	case "week", "this-week", "今週":
		return days(-sinceMonday, 7)
	case "last-week", "先週":
		return days(-sinceMonday-7, 7)
	case "month", "this-month", "今月":
		return monthOf(year, int(month), now)
	}
	if w, named := weekdays[s]; named {
		return days(-(int(today.Weekday()-w)+7)%7, 1)
	}
	if m := clockForm.FindStringSubmatch(s); m != nil {
		at, valid := timeOf(today, m)
		return at, at, true, valid
	}
	if m := agoForm.FindStringSubmatch(s); m != nil {
		return now.Add(-time.Duration(number(m[1])) * units[m[2]]), now, false, true
	}
	return date(s, now)
}

// date reads a date, with or without a time and a year.
func date(s string, now time.Time) (from, to time.Time, clock, ok bool) {
	if m := dateForm.FindStringSubmatch(s); m != nil {
		year := number(m[1])
		if m[1] == "" {
			year = now.Year()
		}
		day := time.Date(year, time.Month(number(m[2])), number(m[3]), 0, 0, 0, 0, now.Location())
		if int(day.Month()) != number(m[2]) || day.Day() != number(m[3]) {
			return from, to, false, false
		}
		if m[1] == "" && day.After(now) { // a date without a year is a past one
			day = day.AddDate(-1, 0, 0)
		}
		if m[4] == "" {
			return day, day.AddDate(0, 0, 1), false, true
		}
		c := clockForm.FindStringSubmatch(m[4])
		if c == nil {
			return from, to, false, false
		}
		at, valid := timeOf(day, c)
		return at, at.Add(time.Minute), false, valid
	}
	if m := yearForm.FindStringSubmatch(s); m != nil {
		year := number(m[1])
		return time.Date(year, 1, 1, 0, 0, 0, 0, now.Location()), time.Date(year+1, 1, 1, 0, 0, 0, 0, now.Location()), false, true
	}
	if m := monthForm.FindStringSubmatch(s); m != nil && (m[1] != "" || s != m[2]) { // a number alone is no month
		year := number(m[1])
		if m[1] == "" {
			if year = now.Year(); number(m[2]) > int(now.Month()) {
				year--
			}
		}
		return monthOf(year, number(m[2]), now)
	}
	return from, to, false, false
}

// monthOf returns the beginning and the end of a month.
func monthOf(year, month int, now time.Time) (from, to time.Time, clock, ok bool) {
	from = time.Date(year, time.Month(month), 1, 0, 0, 0, 0, now.Location())
	return from, from.AddDate(0, 1, 0), false, month >= 1 && month <= 12
}

// timeOf returns the time of day that clockForm has read.
func timeOf(day time.Time, m []string) (at time.Time, ok bool) {
	hour, minute, second := number(m[1]), number(m[2])+number(m[4]), number(m[3])
	at = time.Date(day.Year(), day.Month(), day.Day(), hour, minute, second, 0, day.Location())
	return at, hour < 24 && minute < 60 && second < 60
}

// number returns the value of digits; 0 of none.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
