package i18n

import (
	"testing"
	"time"
)

func TestDaysHaveNames(t *testing.T) {
	now := time.Date(2026, 11, 30, 0, 30, 0, 0, time.Local)
	for _, c := range []struct {
		t              time.Time
		en, ja, months string
	}{
		{now, "Today", "今日", "November 11月"},
		{now.Add(-time.Hour), "Yesterday", "昨日", "November 11月"},
		{time.Date(2026, 11, 24, 23, 59, 0, 0, time.Local), "Tue 24 Nov", "11月24日（火）", "November 11月"},
		{time.Date(2025, 11, 30, 0, 30, 0, 0, time.Local), "Sun 30 Nov 2025", "2025年11月30日（日）", "November 2025 2025年11月"},
	} {
		en, ja := New("en"), New("ja")
		if got := en.Day(c.t, now); got != c.en {
			t.Errorf("%v is %q, want %q", c.t, got, c.en)
		}
		if got := ja.Day(c.t, now); got != c.ja {
			t.Errorf("%v is %q, want %q", c.t, got, c.ja)
		}
		if got := en.Month(c.t, now) + " " + ja.Month(c.t, now); got != c.months {
			t.Errorf("%v is in %q, want %q", c.t, got, c.months)
		}
	}
}
