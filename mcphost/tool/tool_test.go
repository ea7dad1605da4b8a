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
	"easel/internal/require"
	"easel/mcphost/tool"
)

type paintIn struct {
	Colour string   `json:"colour" jsonschema:"what to paint with"`
	Depth  *float64 `json:"depth,omitempty" jsonschema:"how thick"`
	Count  int      `json:"count,omitempty" jsonschema:"how often"`
	Mode   string   `json:"mode,omitempty" jsonschema:"how"`
	Wet    bool     `json:"wet,omitempty" jsonschema:"not dried"`
	Tags   []string `json:"tags,omitempty" jsonschema:"names"`
	Coats  []coat   `json:"coats,omitempty" jsonschema:"of paint"`
	Wait   *float64 `json:"wait,omitempty" jsonschema:"seconds until it is dry"`
	Limit  int      `json:"limit,omitempty" jsonschema:"of brushes"`
}

type coat struct {
	Size int  `json:"size"`
	Dry  bool `json:"dry,omitempty"`
}

type paintOut struct {
	Success bool      `json:"success"`
	In      paintIn   `json:"in"`
	At      time.Time `json:"at"`
}

var paint = tool.Define[paintIn, paintOut](tool.Spec{
	Name: "paint", Title: "Paint", Description: "Paint it.", Category: tool.Execute, Toolset: tool.Gallery,
	Aliases: map[string]string{"color": "colour", "hue": "colour"}, Mistaken: map[string]string{"thickness": "depth"},
}, func(in *jsonschema.Schema) {
	c := in.Properties["colour"]
	c.MinLength, c.MaxLength = new(1), new(5)
	d := in.Properties["depth"]
	d.ExclusiveMinimum, d.Maximum, d.Default = new(0.0), new(10.0), json.RawMessage("2.5")
	in.Properties["wait"].Minimum, in.Properties["wait"].Maximum = new(0.0), new(50.0)
	in.Properties["limit"].Minimum, in.Properties["limit"].Maximum = new(1.0), new(20.0)
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
		"given":                             {`{"colour":"red","depth":0.5,"count":2,"mode":"thin","wet":true,"tags":["a","b"]}`, paintIn{Colour: "red", Depth: &half, Count: 2, Mode: "thin", Wet: true, Tags: []string{"a", "b"}}},
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
			out, _, err := paint.Invoke(t.Context(), b, json.RawMessage(c.args))
			require.NoError(t, err)
			if d := cmp.Diff(c.want, out.(paintOut).In); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestInvokeSaysWhatIsWrong(t *testing.T) {
	b := painter(t)
	const all = "coats, colour, count, depth, limit, mode, tags, wait, wet"
	for name, c := range map[string]struct {
		args string
		want string // the detail after "Invalid parameters: "
		at   []string
	}{
		"nothing":                {``, "colour is required.", []string{"#/colour"}},
		"null":                   {`null`, "colour is required.", []string{"#/colour"}},
		"missing":                {`{}`, "colour is required.", []string{"#/colour"}},
		"misspelt as null":       {`{"colour":"red","coutn":null}`, "coutn is not a parameter here; there are: " + all + "; did you mean `count`?", []string{"#/coutn"}},
		"missing as null":        {`{"colour":null}`, "colour is required.", []string{"#/colour"}},
		"empty":                  {`{"colour":""}`, "colour must not be empty.", []string{"#/colour"}},
		"too long":               {`{"colour":"日本語日本語"}`, "colour must have at most 5 characters, not 6.", []string{"#/colour"}},
		"misspelt":               {`{"colour":"red","max_count":1}`, "max_count is not a parameter here; there are: " + all + "; did you mean `count`?", []string{"#/max_count"}},
		"another word":           {`{"colour":"red","thickness":1}`, "thickness is not a parameter here; there are: " + all + "; did you mean `depth`?", []string{"#/thickness"}},
		"misspelt and required":  {`{"Colour":"red"}`, "Colour is not a parameter here; there are: " + all + "; did you mean `colour`?", []string{"#/Colour"}},
		"unknown beside missing": {`{"paint":"red"}`, "colour is required; paint is not a parameter here; there are: " + all + ".", []string{"#/colour", "#/paint"}},
		"missing in a list":      {`{"colour":"red","coats":[{"kind":"thin"}]}`, "coats/0/kind is not a parameter here; there are: dry, size; coats/0/size is required.", []string{"#/coats/0/kind", "#/coats/0/size"}},
		"misspelt in a list":     {`{"colour":"red","coats":[{"sizes":1}]}`, "coats/0/sizes is not a parameter here; there are: dry, size; did you mean `size`?", []string{"#/coats/0/sizes"}},
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
		"alias and name":         {`{"colour":"red","hue":"blue"}`, `hue is an alias of "colour", which was also given: give only one.`, []string{"#/hue"}},
		"an immense number":      {`{"colour":"red","count":1e400000000}`, "count is too large a number.", []string{"#/count"}},
		"a large number":         {`{"colour":"red","depth":1e300}`, "depth is too large a number.", []string{"#/depth"}},
		"a tiny number":          {`{"colour":"red","depth":1e-400000000}`, "depth must be more than 0, not 0.", []string{"#/depth"}},
		"one where none belongs": {`{"colour":"red","tags":[1e999999999]}`, "tags/0 is too large a number.", []string{"#/tags/0"}},
		"three at once":          {`{"count":9,"mode":"fat"}`, `colour is required; count must be at most 3, not 9; mode must be one of "thin", "thick", not "fat".`, []string{"#/colour", "#/count", "#/mode"}},
		"a slash in a name":      {`{"a/b~":1}`, "a~1b~0 is not a parameter here; there are: " + all + "; colour is required.", []string{"#/a~1b~0", "#/colour"}},
		"a very long name":       {`{"` + strings.Repeat("x", 1000) + `":1}`, "colour is required; " + strings.Repeat("x", 59) + "… is not a parameter here; there are: " + all + ".", []string{"#/colour", "#/" + strings.Repeat("x", 59) + "…"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := paint.Invoke(t.Context(), b, json.RawMessage(c.args))
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
		if _, _, err := paint.Invoke(t.Context(), b, json.RawMessage(args)); tool.AsError(err).Code != tool.Validation {
			t.Errorf("%q: %v, want VALIDATION_ERROR", args, err)
		}
	}
}

func TestSchemasAreOfTheKindThatEveryModelTakes(t *testing.T) {
	s := paint.Spec()
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	if strings.Contains(string(raw), `"null"`) {
		t.Errorf("a union with null: %s", raw)
	}
	if got := s.Out.Properties["at"]; got.Type != "string" || got.Format != "date-time" {
		t.Errorf("a time is %+v", got)
	}
	if strings.Contains(string(raw), "additionalProperties") {
		t.Errorf("google-genai refuses a schema with additionalProperties: %s", raw)
	}
	none, err := json.Marshal(tool.Define[struct{}, paintOut](tool.Spec{Name: "dry"}).Spec().In)
	if err != nil || string(none) != `{"type":"object","properties":{}}` {
		t.Errorf("without parameters: %s, %v", none, err)
	}
}

// TestRangesStandInTheDescription checks the descriptions because several clients drop
// ranges from the schema.
func TestRangesStandInTheDescription(t *testing.T) {
	for name, want := range map[string]string{
		"colour": "what to paint with (up to 5 characters)",
		"depth":  "how thick (over 0, up to 10, default 2.5)",
		"count":  "how often (1–3)",
		"mode":   "how",
		"tags":   "names (up to 3 characters each)",
		"wait":   "seconds until it is dry (0–50)",
	} {
		if got := paint.Spec().In.Properties[name].Description; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestWhatIsUnknownIsIgnoredAndNamed covers clients that add parameters of their own to
// every call.
func TestWhatIsUnknownIsIgnoredAndNamed(t *testing.T) {
	b := painter(t)
	many := make(map[string]any)
	for i := range 100 {
		many[fmt.Sprintf("extra%03d", i)] = i
	}
	many["colour"] = "red"
	crowd, err := json.Marshal(many)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		args string
		want []string
	}{
		"none":                           {`{"colour":"red"}`, nil},
		"Gemini's":                       {`{"colour":"red","wait_for_previous":true}`, []string{"wait_for_previous"}},
		"others":                         {`{"colour":"red","toolSummary":"x","explanation":"y","security_risk":null}`, []string{"explanation", "security_risk", "toolSummary"}},
		"like one that is given as well": {`{"colour":"red","colours":["red"],"Colour":1}`, []string{"Colour", "colours"}},
		"in the items of a list":         {`{"colour":"red","coats":[{"size":1,"metadata":{}},{"size":2,"metadata":{},"by":"me"}]}`, []string{"coats/metadata", "coats/by"}},
		"a number for a name":            {`{"colour":"red","5":1}`, []string{"5"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, note, err := paint.Invoke(t.Context(), b, json.RawMessage(c.args))
			require.NoError(t, err)
			if d := cmp.Diff(c.want, note.Ignored); d != "" || out.(paintOut).In.Colour != "red" {
				t.Errorf("%v: %s", out, d)
			}
			if note.Empty() != (c.want == nil) {
				t.Errorf("the note %+v is empty: %v", note, note.Empty())
			}
		})
	}
	if _, note, err := paint.Invoke(t.Context(), b, crowd); err != nil || len(note.Ignored) != 20 {
		t.Errorf("%d names are told, %v", len(note.Ignored), err)
	}
}

// TestOverMCPTooMuchIsTheMost covers clients that drop the maximum from the schema, so
// that the model cannot know it. REST documents the maximum and rejects larger values.
func TestOverMCPTooMuchIsTheMost(t *testing.T) {
	b := painter(t)
	mcp := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP})
	for name, c := range map[string]struct {
		args string
		want map[string]float64
	}{
		"within":     {`{"colour":"red","wait":50,"limit":20}`, nil},
		"a wait":     {`{"colour":"red","wait":600}`, map[string]float64{"wait": 50}},
		"both":       {`{"colour":"red","wait":50.5,"limit":1000}`, map[string]float64{"wait": 50, "limit": 20}},
		"endless":    {`{"colour":"red","wait":1e400}`, map[string]float64{"wait": 50}},
		"a fraction": {`{"colour":"red","limit":20.5}`, map[string]float64{"limit": 20}},
	} {
		t.Run(name, func(t *testing.T) {
			out, note, err := paint.Invoke(mcp, b, json.RawMessage(c.args))
			require.NoError(t, err)
			if d := cmp.Diff(c.want, note.Adjusted); d != "" {
				t.Error(d)
			}
			in := out.(paintOut).In
			if w, ok := c.want["wait"]; ok && *in.Wait != w {
				t.Errorf("it waits %v", *in.Wait)
			}
			if l, ok := c.want["limit"]; ok && float64(in.Limit) != l {
				t.Errorf("the limit is %v", in.Limit)
			}
		})
	}
	for name, c := range map[string]struct {
		transport  tool.Transport
		args, want string
	}{
		"REST":              {tool.REST, `{"colour":"red","wait":600}`, "wait must be at most 50, not 600."},
		"the window":        {tool.Window, `{"colour":"red","limit":21}`, "limit must be at most 20, not 21."},
		"another parameter": {tool.MCP, `{"colour":"red","count":4}`, "count must be at most 3, not 4."},
		"too little":        {tool.MCP, `{"colour":"red","wait":-1}`, "wait must be at least 0, not -1."},
		"no number":         {tool.MCP, `{"colour":"red","wait":"600"}`, "wait must be a number, not a string."},
	} {
		_, note, err := paint.Invoke(tool.WithCaller(t.Context(), tool.Caller{Transport: c.transport}), b, json.RawMessage(c.args))
		if err == nil || tool.AsError(err).Detail != "Invalid parameters: "+c.want || note.Adjusted != nil {
			t.Errorf("%s: %v, %+v", name, err, note)
		}
	}
}

func TestToolsetsAreParsed(t *testing.T) {
	core, plain := tool.Spec{Toolset: tool.Jupyter, Core: true}, tool.Spec{Toolset: tool.Jupyter}
	for list, want := range map[string][2]bool{
		"": {true, true}, "core": {true, false}, "jupyter": {true, true}, "gallery": {false, false},
		"core,gallery": {true, false}, " core , jupyter": {true, true},
	} {
		set, err := tool.ParseToolsets(list)
		if err != nil {
			t.Errorf("%q: %v", list, err)
		}
		if got := [2]bool{set.Has(core), set.Has(plain)}; got != want {
			t.Errorf("%q: %v, want %v", list, got, want)
		}
	}
	for _, list := range []string{"nope", "core,", ",", "Core", "core,nope"} {
		_, err := tool.ParseToolsets(list)
		if err == nil || !strings.Contains(tool.AsError(err).Detail, "core, jupyter, notebook, gallery") {
			t.Errorf("%q: %v", list, err)
		}
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
