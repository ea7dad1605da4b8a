package notebooks

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// An askedEditor notes what it is asked, and does it.
type askedEditor struct{ text, ran string }

func (*askedEditor) Editor() string { return "Test Code" }

func (e *askedEditor) Ask(_ context.Context, method string, params map[string]any, _ any, _ func(EditorReport)) error {
	switch method {
	case askApply:
		c := params["change"].(Change)
		if c.Before != e.text {
			return &EditorRefusalError{Kind: refusedChanged, Message: "the text of the cell was changed"}
		}
		e.text = c.Source
	case askRun:
		e.ran = params["code"].(string)
	}
	return nil
}

// A run that was put back after its code was written into the cell runs when it is its turn again.
func TestARunInAnEditorIsTriedAgain(t *testing.T) {
	moved := errors.New("put back")
	answers := []error{nil, moved, nil, nil}
	may := func() error {
		err := answers[0]
		answers = slices.Delete(answers, 0, 1)
		return err
	}
	e := &askedEditor{text: "old"}
	d, text := NewEditor(e), "old"
	if _, err := d.Run(t.Context(), "c1", &text, "new", may, nil); !errors.Is(err, moved) || e.text != "new" || e.ran != "" {
		t.Fatalf("the first time: %v, %+v", err, e)
	}
	if _, err := d.Run(t.Context(), "c1", &text, "new", may, nil); err != nil || e.ran != "new" {
		t.Errorf("the second time: %v, %+v", err, e)
	}
}
