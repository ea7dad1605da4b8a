package activity

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/window/uitest"
)

func press(f fyne.Focusable, names ...fyne.KeyName) {
	for _, name := range names {
		f.TypedKey(&fyne.KeyEvent{Name: name})
	}
}

// TestTabCompletesCode: a single match is inserted, several are a list that the user goes through or types on in.
func TestTabCompletesCode(t *testing.T) {
	w, tab, _ := consoleOf(t, nil)
	in, hints := tab.input, tab.input.hints
	shows := func(text string, fit ...string) {
		t.Helper()
		if in.field.Text != text || !slices.Equal(hints.fit, fit) || hints.root.Visible() != (len(fit) > 0) {
			t.Errorf("the line is %q with %q, visible: %v; want %q with %q", in.field.Text, hints.fit, hints.root.Visible(), text, fit)
		}
	}
	test.Type(in.field, "f('🎉', 温)")
	press(in.field, fyne.KeyLeft, fyne.KeyTab)
	if want := (command.CodeAt{SessionID: uitest.SessionID(0), Code: "f('🎉', 温)", At: 8}); w.asked != want {
		t.Errorf("asked %+v, want %+v", w.asked, want)
	}
	w.complete(command.CodeCompletion{Matches: []string{"温度"}, From: 7, To: 8}, nil)
	shows("f('🎉', 温度)")
	if in.field.CursorTextOffset() != 9 {
		t.Errorf("the cursor is at %d", in.field.CursorTextOffset())
	}

	in.field.SetText("")
	test.Type(in.field, "df.me")
	press(in.field, fyne.KeyTab)
	all := []string{"mean", "median", "melt", "merge", "memory_usage"}
	w.complete(command.CodeCompletion{Matches: all, From: 3, To: 5}, nil)
	shows("df.me", all...)
	w.render()
	uitest.Golden(t, "console_completion", w.win.Canvas())
	press(in.field, fyne.KeyDown, fyne.KeyDown, fyne.KeyUp)
	test.Type(in.field, "m")
	shows("df.mem", "memory_usage")
	press(in.field, fyne.KeyBackspace)
	shows("df.me", all...)
	press(in.field, fyne.KeyUp, fyne.KeyTab)
	shows("df.memory_usage")
	test.Type(in.field, ".")
	press(in.field, fyne.KeyTab)
	many := make([]string, 30)
	for i := range many {
		many[i] = fmt.Sprint("name", i)
	}
	w.complete(command.CodeCompletion{Matches: many, From: 16, To: 16}, nil)
	for range 9 {
		press(in.field, fyne.KeyDown)
	}
	if hints.top != 2 || hints.at != 9 || hints.more.Full() != "10 of 30" {
		t.Errorf("row %d of those from %d: %q", hints.at, hints.top, hints.more.Full())
	}
	press(in.field, fyne.KeyEscape)
	shows("df.memory_usage.")
	press(in.field, fyne.KeyTab)
	test.Type(in.field, "x")
	w.complete(command.CodeCompletion{Matches: many, From: 16, To: 16}, nil) // too late
	shows("df.memory_usage.x")
	in.field.SetText("")
	press(in.field, fyne.KeyTab)
	if in.field.Text != "    " {
		t.Errorf("Tab at the beginning gives %q", in.field.Text)
	}
}

// TestTheConsoleSaysWhatItKnows of a name, that nothing completes the code, and that the kernel is busy.
func TestTheConsoleSaysWhatItKnows(t *testing.T) {
	w, tab, _ := consoleOf(t, nil)
	in, hints := tab.input, tab.input.hints
	says := func(want string) {
		t.Helper()
		if got := strings.Join(hints.help, "|"); got != want || !hints.root.Visible() {
			t.Errorf("it says %q, want %q", got, want)
		}
		press(in.field, fyne.KeyEscape)
		if hints.root.Visible() {
			t.Error("Escape leaves it")
		}
	}
	test.Type(in.field, "f(")
	press(in.field, fyne.KeyTab)
	w.complete(command.CodeCompletion{}, nil)
	says(w.k.T("console.no_completion"))
	press(in.field, fyne.KeyTab)
	w.complete(command.CodeCompletion{}, &tool.Error{Code: tool.KernelBusy, Detail: "The kernel is busy."})
	says(w.k.T("console.completion_busy"))
	press(in.field, fyne.KeyTab)
	w.complete(command.CodeCompletion{}, errors.New("broken"))
	if !hints.root.Visible() {
		t.Error("an error is not shown")
	}
	hints.ask(true)
	w.explain("\x1b[31mSignature:\x1b[39m f(x)\n\x1b[31mDocstring:\x1b[39m Does it.", nil)
	says("Signature: f(x)|Docstring: Does it.")
	hints.ask(true)
	w.explain("", nil)
	says(w.k.T("console.no_help"))
	hints.ask(true)
	w.explain(strings.Repeat("line\n", 40), nil)
	if len(hints.help) != mostHelp || hints.help[mostHelp-1] != "…" {
		t.Errorf("%d lines of help", len(hints.help))
	}
}
