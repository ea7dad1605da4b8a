package window

import (
	"context"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/window/keymap"
	"easel/ui/window/kit"
	"easel/ui/window/preferences"
)

// file returns the path of the file that has the user's keys.
func (b *keyboard) file() string { return filepath.Join(b.a.cfg.DataDir, keymap.FileName) }

// read reads the user's keys, and says what is wrong with them.
func (b *keyboard) read() {
	var chosen map[string][]keymap.Chord
	var problems []keymap.Problem
	path, actions := b.file(), b.keys.Actions()
	b.a.requests.Background("keys", func(context.Context) (err error) {
		chosen, problems, err = keymap.Read(path, actions)
		return err
	}, func() {
		b.choose(chosen)
		if len(problems) > 0 {
			k, first := b.a.kit(), problems[0]
			text := k.T("keymap.problem", first.Line, k.T(first.Reason, first.Text))
			if more := len(problems) - 1; more > 0 {
				text += " " + k.Tr.N("keymap.more", more)
			}
			b.a.offer(kit.MarkBad, text, k.T("keymap.file"), func() { b.a.external.Reveal(path) })
		}
	})
}

// choose makes keys count, from the next one on.
func (b *keyboard) choose(chosen map[string][]keymap.Chord) {
	b.keys.Choose(chosen)
	b.listen()
	if b.a.shell != nil {
		b.a.shell.render(b.a.cfg.Store.Snapshot()) // what names a key
	}
}

// listen tells the canvas about the keys. It goes on reporting former ones, which do nothing.
func (b *keyboard) listen() {
	for _, chord := range b.keys.All() {
		for _, s := range chord.Shortcuts() {
			b.a.win.Canvas().AddShortcut(s, b.a.shortcut)
		}
	}
}

// keep makes keys count and writes them into the file.
func (b *keyboard) keep(chosen map[string][]keymap.Chord) {
	b.choose(chosen)
	if b.changed = true; !b.writing {
		b.write()
	}
}

// write writes the file, one time after the other, so that the last one counts.
func (b *keyboard) write() {
	b.writing, b.changed = true, false
	path, kept, actions := b.file(), b.keys.Chosen(), b.keys.Actions()
	var failed error
	b.a.requests.Background("keys", func(context.Context) error {
		failed = keymap.Write(path, kept, actions)
		return nil // said below
	}, func() {
		if b.writing = false; failed != nil {
			b.a.say(kit.MarkBad, failed.Error())
		}
		if b.changed {
			b.write()
		}
	})
}

// set gives an action other keys. Another that has one of them loses it.
func (b *keyboard) set(id string, keys []keymap.Chord) {
	chosen := b.keys.Chosen()
	for _, c := range keys {
		if other := b.keys.Action(c); other != "" && other != id {
			left := []keymap.Chord{}
			for _, has := range b.keys.Keys(other) {
				if has != c {
					left = append(left, has)
				}
			}
			chosen[other] = left
		}
	}
	chosen[id] = keys
	b.keep(chosen)
}

// reset gives an action the keys that it comes with, or all of them if id is "".
func (b *keyboard) reset(id string) {
	chosen := b.keys.Chosen()
	if delete(chosen, id); id == "" {
		chosen = nil
	}
	b.keep(chosen)
}

// name returns what an action is called.
func (b *keyboard) nameOf(x *action) string {
	if x.name == "" {
		return b.a.kit().T(x.row)
	}
	return b.a.kit().T(x.name)
}

// port returns the port of the list in which keys are changed.
func (b *keyboard) port() preferences.KeysPort {
	return preferences.KeysPort{
		List: func() (rows []preferences.KeyRow) {
			for i := range b.all {
				x := &b.all[i]
				if x.do == nil {
					continue
				}
				var keys []string
				for _, c := range b.keys.Keys(x.id) {
					keys = append(keys, string(c))
				}
				rows = append(rows, preferences.KeyRow{ID: x.id, Name: b.nameOf(x), Keys: strings.Join(keys, "  "), Own: b.keys.Own(x.id)})
			}
			return rows
		},
		Taken: func(c keymap.Chord) (id, name string) {
			if x := b.action(b.keys.Action(c)); x != nil {
				return x.id, b.nameOf(x)
			}
			return "", ""
		},
		Set: b.set, Reset: b.reset, File: b.file(),
		Ask: func(title, text, yes string, then func()) { b.a.shell.dialogs.Ask(title, text, yes, then) },
		Sheet: func(title string, body fyne.CanvasObject, actions ...fyne.CanvasObject) {
			b.a.shell.dialogs.Sheet(title, body, actions...)
		},
	}
}
