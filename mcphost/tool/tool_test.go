package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"easel/eventbus"
	"easel/mcphost/tool"
)

type paintIn struct {
	Colour string   `json:"colour" jsonschema:"what to paint with"`
	Depth  *float64 `json:"depth,omitempty" jsonschema:"how thick"`
	Count  int      `json:"count,omitempty" jsonschema:"how often"`
	Mode   string   `json:"mode,omitempty" jsonschema:"how"`
	Wet    bool     `json:"wet,omitempty" jsonschema:"not dried"`
	Tags   []string `json:"tags,omitempty" jsonschema:"names"`
}

type paintOut struct {
	Success bool      `json:"success"`
	In      paintIn   `json:"in"`
	At      time.Time `json:"at"`
}

var paint = tool.Define[paintIn, paintOut](tool.Spec{
	Name: "paint", Title: "Paint", Description: "Paint it.", Category: tool.Execute, Toolset: tool.Gallery,
	Aliases: map[string]string{"color": "colour", "hue": "colour"},
}, func(in *jsonschema.Schema) {
	c := in.Properties["colour"]
	c.MinLength, c.MaxLength = new(1), new(5)
	d := in.Properties["depth"]
	d.ExclusiveMinimum, d.Maximum, d.Default = new(0.0), new(10.0), json.RawMessage("2.5")
	n := in.Properties["count"]
	n.Minimum, n.Maximum = new(1.0), new(3.0)
	in.Properties["mode"].Enum = []any{"thin", "thick"}
	t := in.Properties["tags"]
	t.MaxItems = new(2)
	t.Items.MaxLength = new(3)
})

func painter(t *testing.T) *eventbus.Bus {
	t.Helper()
	b := eventbus.New()
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	paint.Handle(b, func(_ context.Context, in paintIn) (paintOut, error) {
		return paintOut{Success: true, In: in}, nil
	}, nil)
	return b
}

func TestInvokeChecksAndFillsIn(t *testing.T) {
	b := painter(t)
	half := 0.5
	def := 2.5
	for name, c := range map[string]struct {
		args string
		want paintIn
	}{
		"given":                             {`{"colour":"red","depth":0.5,"count":2,"mode":"thin","wet":true,"tags":["a","b"]}`, paintIn{"red", &half, 2, "thin", true, []string{"a", "b"}}},
		"a default":                         {`{"colour":"red"}`, paintIn{Colour: "red", Depth: &def}},
		"null is absent":                    {`{"colour":"red","depth":null,"mode":null,"tags":null}`, paintIn{Colour: "red", Depth: &def}},
		"an alias":                          {`{"color":"red"}`, paintIn{Colour: "red", Depth: &def}},
		"another alias":                     {`{"hue":"red"}`, paintIn{Colour: "red", Depth: &def}},
		"characters count, not bytes":       {`{"colour":"日本語日本"}`, paintIn{Colour: "日本語日本", Depth: &def}},
		"characters outside the BMP as one": {`{"colour":"🎨🎨🎨🎨🎨"}`, paintIn{Colour: "🎨🎨🎨🎨🎨", Depth: &def}},
		"spaces around it":                  {"\n {\"colour\":\"red\"} \n", paintIn{Colour: "red", Depth: &def}},
		"an integer written with a point":   {`{"colour":"red","count":2.0}`, paintIn{Colour: "red", Depth: &def, Count: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := paint.Invoke(t.Context(), b, json.RawMessage(c.args))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, out.(paintOut).In); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestInvokeSaysWhatIsWrong(t *testing.T) {
	b := painter(t)
	const all = "colour, count, depth, mode, tags, wet"
	for name, c := range map[string]struct {
		args string
		want string // the detail after "Invalid parameters: "
		at   []string
	}{
		"nothing":                {``, "colour is required.", []string{"#/colour"}},
		"null":                   {`null`, "colour is required.", []string{"#/colour"}},
		"missing":                {`{}`, "colour is required.", []string{"#/colour"}},
		"unknown as null":        {`{"colour":"red","coat":null}`, "coat is not a parameter here; there are: " + all + ".", []string{"#/coat"}},
		"missing as null":        {`{"colour":null}`, "colour is required.", []string{"#/colour"}},
		"empty":                  {`{"colour":""}`, "colour must not be empty.", []string{"#/colour"}},
		"too long":               {`{"colour":"日本語日本語"}`, "colour must have at most 5 characters, not 6.", []string{"#/colour"}},
		"unknown":                {`{"colour":"red","coat":1}`, "coat is not a parameter here; there are: " + all + ".", []string{"#/coat"}},
		"a wrong type":           {`{"colour":7}`, "colour must be a string, not a number.", []string{"#/colour"}},
		"a string number":        {`{"colour":"red","count":"2"}`, "count must be an integer, not a string.", []string{"#/count"}},
		"no integer":             {`{"colour":"red","count":1.5}`, "count must be an integer, not a number.", []string{"#/count"}},
		"too small":              {`{"colour":"red","count":0}`, "count must be at least 1, not 0.", []string{"#/count"}},
		"too large":              {`{"colour":"red","depth":10.25}`, "depth must be at most 10, not 10.25.", []string{"#/depth"}},
		"on the bound":           {`{"colour":"red","depth":0}`, "depth must be more than 0, not 0.", []string{"#/depth"}},
		"not of the words":       {`{"colour":"red","mode":"fat"}`, `mode must be one of "thin", "thick", not "fat".`, []string{"#/mode"}},
		"an empty word":          {`{"colour":"red","mode":""}`, `mode must be one of "thin", "thick", not "".`, []string{"#/mode"}},
		"a string for true":      {`{"colour":"red","wet":"true"}`, "wet must be a boolean, not a string.", []string{"#/wet"}},
		"too many":               {`{"colour":"red","tags":["a","b","c"]}`, "tags must have at most 2 items, not 3.", []string{"#/tags"}},
		"inside of a list":       {`{"colour":"red","tags":["a","long"]}`, "tags/1 must have at most 3 characters, not 4.", []string{"#/tags/1"}},
		"alias and name":         {`{"colour":"red","hue":"blue"}`, `hue is another name of "colour", which is given too: give one of them.`, []string{"#/hue"}},
		"an immense number":      {`{"colour":"red","count":1e400000000}`, "count is not a number of usable size.", []string{"#/count"}},
		"a large number":         {`{"colour":"red","depth":1e300}`, "depth is not a number of usable size.", []string{"#/depth"}},
		"a tiny number":          {`{"colour":"red","depth":1e-400000000}`, "depth must be more than 0, not 0.", []string{"#/depth"}},
		"one where none belongs": {`{"colour":"red","tags":[1e999999999]}`, "tags/0 is not a number of usable size.", []string{"#/tags/0"}},
		"three at once":          {`{"count":9,"mode":"fat"}`, `colour is required; count must be at most 3, not 9; mode must be one of "thin", "thick", not "fat".`, []string{"#/colour", "#/count", "#/mode"}},
		"a slash in a name":      {`{"colour":"red","a/b~":1}`, "a~1b~0 is not a parameter here; there are: " + all + ".", []string{"#/a~1b~0"}},
		"a very long name":       {`{"colour":"red","` + strings.Repeat("x", 1000) + `":1}`, strings.Repeat("x", 60) + "… is not a parameter here; there are: " + all + ".", []string{"#/" + strings.Repeat("x", 60) + "…"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := paint.Invoke(t.Context(), b, json.RawMessage(c.args))
			e, ok := errors.AsType[*tool.Error](err)
			if !ok || e.Code != tool.Validation {
				t.Fatalf("got %v, want VALIDATION_ERROR", err)
			}
			if want := "Invalid parameters: " + c.want; e.Detail != want {
				t.Errorf("got  %s\nwant %s", e.Detail, want)
			}
			var at []string
			for _, f := range e.Fields {
				at = append(at, f.Pointer)
			}
			if d := cmp.Diff(c.at, at); d != "" {
				t.Error(d)
			}
		})
	}
	for _, args := range []string{`[]`, `"colour"`, `7`, `{`, `{}{}`, `{"colour":"red",}`, "{\"colour\":\"\xff\x00\"}"} {
		if _, err := paint.Invoke(t.Context(), b, json.RawMessage(args)); tool.AsError(err).Code != tool.Validation {
			t.Errorf("%q: %v, want VALIDATION_ERROR", args, err)
		}
	}
}

func TestSchemasAreOfTheKindThatEveryModelTakes(t *testing.T) {
	s := paint.Spec()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), `"null"`) {
		t.Errorf("a union with null: %s", raw)
	}
	if got := s.Out.Properties["at"]; got.Type != "string" || got.Format != "date-time" {
		t.Errorf("a time is %+v", got)
	}
	in, _ := json.Marshal(s.In.AdditionalProperties)
	if string(in) != "false" || s.Out.AdditionalProperties != nil {
		t.Errorf("input must be closed (%s), output open (%v)", in, s.Out.AdditionalProperties)
	}
}

func TestDefineRefusesWhatCannotBeServed(t *testing.T) {
	for name, define := range map[string]func(){
		"a bad name":       func() { tool.Define[paintIn, paintOut](tool.Spec{Name: "Paint It"}) },
		"a type like chan": func() { tool.Define[struct{ C chan int }, paintOut](tool.Spec{Name: "paint"}) },
		"a refine that errs": func() {
			tool.Define[paintIn, paintOut](tool.Spec{Name: "paint"}, func(in *jsonschema.Schema) { in.Properties["colour"].Pattern = "(" })
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was taken", name)
				}
			}()
			define()
		}()
	}
}

func TestAsErrorGivesEveryErrorACode(t *testing.T) {
	ours := &tool.Error{Code: tool.Denied, Detail: "no"}
	for name, c := range map[string]struct {
		err  error
		want tool.Code
	}{
		"ours":            {ours, tool.Denied},
		"ours, wrapped":   {fmt.Errorf("about: %w", ours), tool.Denied},
		"the closed bus":  {fmt.Errorf("x: %w", eventbus.ErrClosed), tool.ShuttingDown},
		"cannot run":      {fmt.Errorf("x: %w", eventbus.ErrNotExecutable), tool.NotExecutable},
		"the deadline":    {fmt.Errorf("x: %w", context.DeadlineExceeded), tool.Timeout},
		"the caller left": {fmt.Errorf("x: %w", context.Canceled), tool.Cancelled},
		"no handler":      {fmt.Errorf("x: %w", eventbus.ErrNoHandler), tool.Internal},
		"a panic":         {&eventbus.PanicError{Topic: "x", Value: "password"}, tool.Internal},
		"whatever else":   {errors.New("password"), tool.Internal},
	} {
		e := tool.AsError(c.err)
		if e.Code != c.want {
			t.Errorf("%s: %s, want %s", name, e.Code, c.want)
		}
		if strings.Contains(e.Detail+e.Hint, "password") {
			t.Errorf("%s: what happened inside is told outside: %s", name, e.Detail)
		}
		if c.want == tool.Internal && !strings.Contains(e.Error(), c.err.Error()) {
			t.Errorf("%s: the log does not have the cause: %s", name, e.Error())
		}
	}
}

func TestCodesAreATable(t *testing.T) {
	seen := make(map[tool.Code]bool)
	for _, i := range tool.Codes {
		if seen[i.Code] {
			t.Errorf("%s twice", i.Code)
		}
		seen[i.Code] = true
		if i.Code.Info() != i || i.Title == "" || i.When == "" || i.Status < 400 {
			t.Errorf("%+v", i)
		}
	}
	if tool.Code("NEW").Info().Code != tool.Internal {
		t.Error("a code that nobody declared is a bug")
	}
}
