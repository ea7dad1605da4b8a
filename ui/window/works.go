package window

import (
	"slices"

	"easel/ui/window/kit"
)

// works has what is being done that takes long. A message says so until it is over, also in
// another language.
type works struct{ texts []*func(*kit.Kit) string }

// begin adds a text until end is called.
func (w *works) begin(text func(*kit.Kit) string) (end func()) {
	w.texts = append(w.texts, &text)
	return func() {
		w.texts = slices.DeleteFunc(w.texts, func(t *func(*kit.Kit) string) bool { return t == &text })
	}
}

// text returns what began last; "" if nothing is being done.
func (w *works) text(k *kit.Kit) string {
	if len(w.texts) == 0 {
		return ""
	}
	return (*w.texts[len(w.texts)-1])(k)
}
