package outputlog_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"easel/ui/core/outputlog"
)

// listed describes the entries of a log.
func listed(l *outputlog.Log) string {
	var list []string
	for _, e := range l.Entries() {
		text := fmt.Sprintf("%s %s%s", e.Kind, e.Text, e.Image)
		if e.Widget == "" && (e.Kind == outputlog.Stdout || e.Kind == outputlog.Stderr) {
			text = fmt.Sprintf("%s from %d", e.Kind, e.At)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// store appends what is not saved to a stored log, as the library does.
func store(l *outputlog.Log, stored []byte) []byte {
	lines, whole := l.Unsaved()
	if whole {
		return lines
	}
	return append(stored, lines...)
}

func TestOrder(t *testing.T) {
	t.Parallel()
	display := func(text, id string) outputlog.Entry {
		return outputlog.Entry{Kind: outputlog.Display, Text: text, MIME: "text/plain", DisplayID: id}
	}
	for name, c := range map[string]struct {
		do   func(l *outputlog.Log)
		want string
	}{
		"printed text goes on": {func(l *outputlog.Log) {
			l.Print("stdout", 0)
			l.Print("stdout", 5)
			l.Print("stderr", 0)
			l.Print("stdout", 9)
			l.Add(display("d", ""))
			l.Print("stdout", 12)
		}, "stdout from 0, stderr from 0, stdout from 9, display d, stdout from 12"},
		"an update": {func(l *outputlog.Log) {
			l.Add(display("one", "a"))
			l.Add(display("two", "b"))
			l.Update("a", "three", "text/plain")
			l.Update("c", "no", "text/plain")
		}, "display three, display two"},
		"text becomes a picture": {func(l *outputlog.Log) {
			l.Add(display("one", "a"))
			l.SetImage(l.Displayed("a"), "img")
			l.Update("a", "no", "text/plain")
			l.ReplaceImage("img", "img2")
		}, "image img2"},
		"a picture that is not kept": {func(l *outputlog.Log) {
			id := l.Add(outputlog.Entry{Kind: outputlog.Image})
			l.Add(display("x", ""))
			l.SetImage(id, "")
		}, "display x"},
		"cleared": {func(l *outputlog.Log) {
			l.Print("stdout", 0)
			l.Add(display("x", ""))
			l.Clear("")
			l.Print("stdout", 0)
		}, "stdout from 0"},
		"a widget that is cleared": {func(l *outputlog.Log) {
			l.Print("stdout", 0)
			l.PrintIn("w", "stdout", "step 1\n")
			l.Add(outputlog.Entry{Kind: outputlog.Image, Image: "i", Widget: "w"})
			l.Clear("w")
			l.PrintIn("w", "stdout", "step ")
			l.PrintIn("w", "stdout", "2\n")
			l.PrintIn("w", "stderr", "!")
		}, "stdout from 0, stdout step 2\n, stderr !"},
		"a widget where it is displayed": {func(l *outputlog.Log) {
			l.PrintIn("w", "stdout", "in it")
			l.PrintIn("v", "stdout", "in the other")
			l.Add(outputlog.Entry{Kind: outputlog.Display, Shows: []string{"w", "v"}})
			l.Print("stdout", 0)
			l.Add(outputlog.Entry{Kind: outputlog.Display, Text: "more", Widget: "w"})
			l.Add(outputlog.Entry{Kind: outputlog.Display, Shows: []string{"w"}})
		}, "display , stdout in it, display more, stdout in the other, stdout from 0, display "},
		"a widget that shows itself": {func(l *outputlog.Log) {
			l.Add(outputlog.Entry{Kind: outputlog.Display, Shows: []string{"w"}})
			l.Add(outputlog.Entry{Kind: outputlog.Display, Widget: "w", Shows: []string{"w"}})
			l.PrintIn("w", "stdout", "x")
		}, "display , display , stdout x"},
		"the cell is cleared with its widgets": {func(l *outputlog.Log) {
			l.PrintIn("elsewhere", "stdout", "stays")
			l.Add(outputlog.Entry{Kind: outputlog.Display, Shows: []string{"w"}})
			l.PrintIn("w", "stdout", "goes")
			l.Clear("")
		}, "stdout stays"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := new(outputlog.Log)
			c.do(l)
			if got := listed(l); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			stored := store(l, nil)
			if got := listed(outputlog.Load(stored)); len(stored) > 0 && got != c.want {
				t.Errorf("stored: got %s, want %s", got, c.want)
			}
		})
	}
}

func TestTextAfterADisplayIsSplit(t *testing.T) {
	t.Parallel()
	l := new(outputlog.Log)
	for i, c := range []struct {
		stream string
		split  bool
	}{{"stdout", false}, {"stderr", false}, {"stdout", false}, {"", false}, {"stderr", true}, {"stdout", true}, {"stderr", false}} {
		if c.stream == "" {
			l.Add(outputlog.Entry{Kind: outputlog.Display, Text: "x"})
			continue
		}
		if id, split := l.Print(c.stream, int64(i)); id == 0 || split != c.split {
			t.Errorf("%d: got %d, %t", i, id, split)
		}
	}
}

// A stored log is what the log is, whatever happened, and also if it was cut off within a line.
func TestStored(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 100 {
		l, stored := new(outputlog.Log), []byte(nil)
		at := int64(0)
		for range 60 {
			widget := []string{"", "", "w", "v"}[random.IntN(4)]
			stream := []string{"stdout", "stderr"}[random.IntN(2)]
			id := fmt.Sprint(random.IntN(5))
			switch random.IntN(8) {
			case 0, 1:
				l.Print(stream, at)
				at += 10
			case 2:
				l.PrintIn("w", stream, strings.Repeat("x", random.IntN(50)))
			case 3:
				l.Add(outputlog.Entry{Kind: outputlog.Display, Text: id, DisplayID: id, Widget: widget})
			case 4:
				l.SetImage(l.Add(outputlog.Entry{Kind: outputlog.Image, Widget: widget}), id)
			case 5:
				l.Update(id, "updated "+id, "text/plain")
			case 6:
				l.ReplaceImage(id, id+"'")
			default:
				if random.IntN(5) == 0 {
					l.Clear(widget)
				}
			}
			if random.IntN(3) == 0 {
				stored = store(l, stored)
			}
		}
		stored = store(l, stored)
		if len(stored) == 0 {
			continue // a usual one
		}
		again := outputlog.Load(stored)
		if listed(again) != listed(l) || again.Changes() > l.Changes() {
			t.Fatalf("round %d: got %s, want %s", round, listed(again), listed(l))
		}
		cut := stored[:len(stored)-1-random.IntN(min(20, len(stored)-1))]
		if n := len(outputlog.Load(cut).Entries()); n > len(l.Entries())+1 {
			t.Errorf("cut off, it has %d entries", n)
		}
	}
}

func TestAUsualLogIsNotStored(t *testing.T) {
	t.Parallel()
	l := new(outputlog.Log)
	l.Print("stdout", 0)
	l.SetImage(l.Add(outputlog.Entry{Kind: outputlog.Image}), "i")
	l.SetImage(l.Add(outputlog.Entry{Kind: outputlog.Image}), "j")
	l.Add(outputlog.Entry{Kind: outputlog.Result, Text: "5", MIME: "text/plain"})
	if lines, whole := l.Unsaved(); len(lines) > 0 || whole {
		t.Errorf("stored: %s", lines)
	}
	usual := outputlog.Usual(true, false, []string{"i", "j"}, "5", "")
	if listed(usual) != listed(l) {
		t.Errorf("got %s, want %s", listed(usual), listed(l))
	}
	l.Print("stdout", 10)
	if lines, whole := l.Unsaved(); !whole || bytes.Count(lines, []byte("\n")) != 5 {
		t.Errorf("then stored: %t, %s", whole, lines)
	}
}

func TestALogIsBounded(t *testing.T) {
	t.Parallel()
	l, stored, most := new(outputlog.Log), []byte(nil), 0
	for i := range 50_000 {
		l.Add(outputlog.Entry{Kind: outputlog.Display, Text: fmt.Sprintf("value %06d", i), MIME: "text/plain"})
		if i%500 == 0 {
			stored = store(l, stored)
			most = max(most, len(stored))
		}
	}
	stored = store(l, stored)
	entries, n := l.Entries(), 0
	n, _ = l.Omitted()
	if len(entries) > 12_000 || len(entries)+n != 50_000 || entries[0].Text != "value 000000" || entries[len(entries)-1].Text != "value 049999" {
		t.Errorf("%d entries, %d omitted, from %q to %q", len(entries), n, entries[0].Text, entries[len(entries)-1].Text)
	}
	if most > 8<<20 || listed(outputlog.Load(stored)) != listed(l) {
		t.Errorf("%d bytes were stored", most)
	}
	if again, _ := outputlog.Load(stored).Omitted(); again != n {
		t.Errorf("stored, it omits %d, want %d", again, n)
	}
	l = new(outputlog.Log)
	for range 3_000 {
		l.Update("p", strings.Repeat("#", 100), "text/plain")
		l.PrintIn("w", "stdout", strings.Repeat("y", 100)+"\n")
		l.Add(outputlog.Entry{Kind: outputlog.Display, Text: strings.Repeat("z", 2000), DisplayID: "p"})
		l.Clear("w")
	}
	size := 0
	for _, e := range l.Entries() {
		size += len(e.Text)
	}
	if size > 4<<20 {
		t.Errorf("%d bytes", size)
	}
	l = new(outputlog.Log)
	l.Add(outputlog.Entry{Kind: outputlog.Display, Text: "begin" + strings.Repeat("語", 100_000) + "end"})
	if e := l.Entries()[0]; len(e.Text) > 70_000 || e.Bytes != 300_008 || !strings.HasPrefix(e.Text, "begin語") || !strings.HasSuffix(e.Text, "語end") {
		t.Errorf("%d bytes of %d", len(e.Text), e.Bytes)
	}
	l.PrintIn("w", "stdout", "a")
	for range 1000 {
		l.PrintIn("w", "stdout", strings.Repeat("b", 99)+"\n")
	}
	i := slices.IndexFunc(l.Entries(), func(e *outputlog.Entry) bool { return e.Widget == "w" })
	if e := l.Entries()[i]; len(e.Text) > 40_000 || e.Bytes != 100_001 || e.Text[0] != 'a' {
		t.Errorf("%d bytes of %d", len(e.Text), e.Bytes)
	}
}

func FuzzLoad(f *testing.F) {
	l := new(outputlog.Log)
	l.Print("stdout", 3)
	l.Add(outputlog.Entry{Kind: outputlog.Display, Text: "x", Shows: []string{"w"}})
	l.PrintIn("w", "stdout", "y")
	f.Add(store(l, nil))
	f.Fuzz(func(t *testing.T, stored []byte) {
		l := outputlog.Load(stored)
		l.Add(outputlog.Entry{Kind: outputlog.Display, Text: "z"})
		if list := l.Entries(); len(list) == 0 {
			t.Error("nothing is there")
		}
	})
}
