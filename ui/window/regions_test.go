package window

import (
	"testing"

	"fyne.io/fyne/v2"
)

func TestPanelsGiveWayInOrder(t *testing.T) {
	all := regions{side: 216, props: 320, dock: 190}
	for name, c := range map[string]struct {
		wish regions
		room fyne.Size
		last panel
		want regions
	}{
		"room for all":                  {all, fyne.NewSize(1232, 726), noPanel, all},
		"narrower panels":               {all, fyne.NewSize(880, 726), noPanel, regions{216, 274, 190}},
		"both at their smallest":        {all, fyne.NewSize(780, 726), noPanel, regions{150, 240, 190}},
		"the sidebar first":             {all, fyne.NewSize(712, 726), noPanel, regions{0, 320, 190}},
		"the other that was asked for":  {all, fyne.NewSize(712, 726), sidePanel, regions{216, 0, 190}},
		"the properties asked for":      {all, fyne.NewSize(712, 726), propsPanel, regions{0, 320, 190}},
		"a wide panel gets narrower":    {regions{props: 800}, fyne.NewSize(1000, 726), noPanel, regions{props: 600}},
		"two cards at the least":        {regions{side: 380, props: 640}, fyne.NewSize(600, 726), noPanel, regions{}},
		"a low dock":                    {all, fyne.NewSize(1232, 400), noPanel, regions{216, 320, 160}},
		"the dock gives way":            {all, fyne.NewSize(1232, 300), noPanel, regions{216, 320, 0}},
		"40 % of the height at most":    {regions{dock: 600}, fyne.NewSize(1232, 1000), noPanel, regions{dock: 400}},
		"nothing is wished, nothing is": {regions{}, fyne.NewSize(300, 100), noPanel, regions{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.wish.fit(c.room, c.last); got != c.want {
				t.Errorf("fit %v, want %v", got, c.want)
			}
		})
	}
}
