package window

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/internal/require"
	"easel/ui/core/library"
	"easel/ui/window/uitest"
)

// hold keeps the library from writing until release is called, as if each change took long.
func (p *person) hold() (release func()) {
	p.t.Helper()
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := p.core.Library.Annotations.Mark(p.t.Context(), []library.Target{{ID: p.born[0]}}, func(int, *library.Marks) error {
			close(begun)
			<-end
			return nil
		})
		done <- err
	}()
	<-begun
	return func() {
		close(end)
		if err := <-done; err != nil {
			p.t.Error(err)
		}
	}
}

// shows waits until the window shows all texts.
func (p *person) shows(texts ...string) {
	p.t.Helper()
	var seen []string
	p.q.Until(p.t, "the texts "+strings.Join(texts, ", "), func() bool {
		seen = uitest.Texts(p.app.win.Canvas())
		return !slices.ContainsFunc(texts, func(text string) bool {
			return !slices.ContainsFunc(seen, func(line string) bool { return strings.Contains(line, text) })
		})
	})
	if slices.ContainsFunc(seen, func(line string) bool { return strings.Contains(line, "Ready for the first plot") }) {
		p.t.Errorf("with %v it shows %q", texts, seen)
	}
}

// TestManyPlotsLeaveAtOnce: while the library still moves them to the trash, back, or deletes
// them, the window shows them where they will be and says what it does, also after a change of
// the language. A restart in the middle shows what became of them.
func TestManyPlotsLeaveAtOnce(t *testing.T) {
	p := newPerson(t)
	defer func() { p.stop() }()
	const many = takesLong
	for range many - beginPlots {
		p.arrive("")
	}
	p.settled()
	listed := func() int { return len(p.app.shell.gallery.ids) }
	trashed := func() int {
		ids, err := p.core.Library.Images.IDs(t.Context(), library.Query{Rating: -1, Trashed: true})
		require.NoError(t, err)
		return len(ids)
	}
	p.all(0)

	release := p.hold()
	p.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyDelete})
	p.shows("All plots are in the trash", "0 plots", "Moving 120 plots to the trash…")
	if selected := p.store.Snapshot().Selection; listed() != 0 || len(selected) != 0 || trashed() != 0 {
		t.Errorf("%d plots are listed, %d selected, %d already in the trash", listed(), len(selected), trashed())
	}
	p.q.Until(t, "the count of the trash", func() bool { return strings.Contains(written(p.app.shell.side.Object()), "Trash120") })
	p.app.typedRune('5') // means nothing that is seen
	p.language = "ja"
	p.put()
	p.shows("すべてのプロットがゴミ箱にあります", "120 件をゴミ箱に移動しています…")
	p.language = "en"
	p.put()
	p.shows("Moving 120 plots to the trash…")
	release()
	p.shows("Moved 120 plots to the trash")
	p.settled()
	if kept := p.kept(); trashed() != many || kept[p.born[3]+"/rating"] != "" {
		t.Errorf("%d plots are in the trash, with the rating %q", trashed(), kept[p.born[3]+"/rating"])
	}

	release = p.hold()
	p.app.shortcut(&fyne.ShortcutUndo{})
	p.shows("Undoing: moving 120 plots to the trash…")
	release()
	p.shows("Undid: moving 120 plots to the trash")
	p.settled()
	if len(p.selected()) != many || listed() != many {
		t.Errorf("%d of %d plots are selected again", len(p.selected()), listed())
	}
	p.key(fyne.KeyDelete)
	p.shows("Moved 120 plots to the trash")
	p.app.navigate.OpenTrash()
	p.settled()
	p.all(0)
	release = p.hold()
	p.app.edits.Restore(p.selected())
	p.shows("The trash is empty", "Restoring 120 plots…")
	p.q.Until(t, "the count of all plots", func() bool { return strings.Contains(written(p.app.shell.side.Object()), "Allplots120") })
	release()
	p.shows("120 plots restored")
	p.app.navigate.OpenAll("", 0)
	p.settled()
	if listed() != many || trashed() != 0 {
		t.Errorf("%d plots are listed, %d in the trash", listed(), trashed())
	}

	p.all(0)
	release = p.hold()
	p.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyDelete})
	p.shows("All plots are in the trash")
	go release()
	p.restart(0)
	if listed()+trashed() != many || listed() != 0 && trashed() != 0 {
		t.Errorf("after a restart in the middle, %d plots are listed, %d in the trash", listed(), trashed())
	}
}

const takesLong = 120
