package kit

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// A toolbar has buttons of all kinds and stars, and a title that needs 100.
type toolbar struct {
	k    *Kit
	did  []string
	row  *fyne.Container
	more *Overflow
	a, b *Button
	hid  *Button
	s    *Stars
	menu []*fyne.MenuItem
	keys map[string]string
}

func newToolbar(t *testing.T) *toolbar {
	k := newKit(t)
	x := &toolbar{k: k, keys: map[string]string{"first": "Ctrl+F"}}
	k.Key = func(action string) string { return x.keys[action] }
	k.Menu = func(_ fyne.Position, items ...*fyne.MenuItem) { x.menu = items }
	do := func(what string) func() { return func() { x.did = append(x.did, what) } }
	x.a, x.b = k.Button(Ghost, "fit", "", "The first ({key:first})", do("first")), k.Button(Ghost, "lock", "Second", "", do("second"))
	x.hid = k.Button(Ghost, "code", "", "Not now", do("hid"))
	x.hid.Hide()
	x.s = k.Stars(15, func(int) { do("stars")() })
	hid := Optional(x.hid)
	x.row, x.more = k.Fold(Row{Gap: 4, Stretch: 0}, 100, []fyne.CanvasObject{x.s, x.a, hid, x.b}, NewLine("title", 12, k.P.Text, fyne.TextStyle{}, 10), x.a, x.s, hid, x.b)
	w := fyne.CurrentApp().NewWindow("")
	w.SetContent(container.NewWithoutLayout(x.row))
	t.Cleanup(w.Close)
	return x
}

func (x *toolbar) labels(width float32) (labels []string) {
	x.row.Resize(fyne.NewSize(width, 40))
	x.row.Layout.Layout(x.row.Objects, x.row.Size())
	for _, m := range x.more.Items() {
		labels = append(labels, m.Label)
	}
	return labels
}

// TestWhatHasNoRoomIsInTheMenu in the order of the bar, with the user's keys; what is not there anyway is not.
func TestWhatHasNoRoomIsInTheMenu(t *testing.T) {
	x := newToolbar(t)
	if got := x.labels(600); len(got) > 0 || x.more.Visible() || !x.a.Visible() {
		t.Errorf("with room for all, the menu has %q", got)
	}
	if got := x.labels(280); !slices.Equal(got, []string{"Rate"}) || !x.more.Visible() || x.s.Visible() || !x.b.Visible() {
		t.Errorf("without room for the stars, the menu has %q", got)
	}
	if got := x.labels(120); !slices.Equal(got, []string{"The first", "Rate", "Second"}) {
		t.Errorf("without any room, the menu has %q", got)
	}
	for _, o := range x.row.Objects {
		if o.Visible() && o.Position().X+o.Size().Width > 120 {
			t.Errorf("%T ends at %v of 120", o, o.Position().X+o.Size().Width)
		}
	}
	x.b.SetOn(true)
	x.b.SetEnabled(false)
	x.more.Tapped(nil)
	if first, second := x.menu[0], x.menu[2]; first.Shortcut != Hint("Ctrl+F") || first.Checked || !second.Checked || !second.Disabled {
		t.Errorf("the items are %+v and %+v", first, second)
	}
	x.menu[0].Action()
	x.menu[1].ChildMenu.Items[0].Action()
	if !slices.Equal(x.did, []string{"first", "stars"}) {
		t.Errorf("they do %q", x.did)
	}
	x.keys["first"] = "F9"
	if got := x.more.Items()[0].Shortcut; got != Hint("F9") {
		t.Errorf("after a change, the key is %v", got)
	}
	x.hid.Show()
	if got := x.labels(120); !slices.Contains(got, "Not now") {
		t.Errorf("what has come is not in %q", got)
	}
}

// TestATextHasTheUsersKeys, and no brackets for an action without one.
func TestATextHasTheUsersKeys(t *testing.T) {
	k := newKit(t)
	k.Key = func(action string) string { return map[string]string{"fit": "Z"}[action] }
	for text, want := range map[string]string{
		"Fit ({key:fit})": "Fit (Z)", "全体（{key:fit}）にする": "全体（Z）にする", "Lock ({key:lock})": "Lock", "固定（{key:lock}）": "固定",
		"A {key} (b)": "A {key} (b)", "{key:fit} ({key:lock}) x": "{key:fit} x",
	} {
		if got := k.Keyed(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestAMenuHasFixedKeysAtTheRight, too, which a tip has in brackets.
func TestAMenuHasFixedKeysAtTheRight(t *testing.T) {
	k := newKit(t)
	for tip, want := range map[string]string{
		"Select a part. Or drag (R)": "Select a part|R", "一部を選択。ドラッグでも選択できます（R）": "一部を選択|R", "Next (Enter)": "Next|Enter", "前へ（Shift+Enter）": "前へ|Shift+Enter", "Run (Ctrl+Enter)": "Run|Ctrl+Enter", "Rows (all)": "Rows (all)|", "Next": "Next|",
	} {
		m := k.Button(Ghost, "", "", tip, nil).item()
		key, _ := m.Shortcut.(Hint)
		if got := m.Label + "|" + string(key); got != want {
			t.Errorf("%q becomes %q, want %q", tip, got, want)
		}
	}
}
