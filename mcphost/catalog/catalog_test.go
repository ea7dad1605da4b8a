package catalog

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestToolsAreGolden makes every change of a tool visible in review, because clients and
// models know the old version.
func TestToolsAreGolden(t *testing.T) {
	dir := filepath.Join("testdata", "tools")
	if *update {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	files := make(map[string]bool)
	for _, x := range All() {
		s := x.Spec()
		var got bytes.Buffer
		e := json.NewEncoder(&got)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		require.NoError(t, e.Encode(s))
		name := filepath.Join(dir, s.Name+".json")
		files[name] = true
		if *update {
			require.NoError(t, os.WriteFile(name, got.Bytes(), 0o644))
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("%v: run the test with -update", err)
			continue
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s changed; if that is meant, run the test with -update:\n%s", s.Name, d)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	for _, name := range left {
		if !files[name] {
			t.Errorf("%s is of a tool that is no more; a renamed tool keeps an alias", name)
		}
	}
}

func TestToolsKeepTheRules(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9_]{2,40}$`)
	seen := make(map[string]bool)
	for _, x := range All() {
		s := x.Spec()
		t.Run(s.Name, func(t *testing.T) {
			if !name.MatchString(s.Name) || seen[s.Name] {
				t.Errorf("the name %q is bad or taken", s.Name)
			}
			seen[s.Name] = true
			if s.Title == "" || s.Description == "" || s.Toolset == "" {
				t.Error("title, description or toolset is missing")
			}
			if s.Category != tool.Execute && s.Category != tool.Info {
				t.Errorf("category %q", s.Category)
			}
			if s.ReadOnly() && (s.Destructive || s.OpenWorld) {
				t.Error("it reads only, and yet is destructive or reaches out")
			}
			if !strings.HasSuffix(s.Description, ".") || strings.Contains(s.Description, "\n") {
				t.Errorf("the description must be sentences on one line: %q", s.Description)
			}
			checkInput(t, s)
			checkOutput(t, s)
			for alias, name := range s.Aliases {
				if s.In.Properties[alias] != nil || s.In.Properties[name] == nil {
					t.Errorf("the alias %s of %s", alias, name)
				}
			}
		})
	}
}

func checkInput(t *testing.T, s tool.Spec) {
	t.Helper()
	if s.In.Type != "object" || len(s.In.AnyOf)+len(s.In.OneOf)+len(s.In.AllOf) > 0 || s.In.Not != nil || s.In.If != nil {
		t.Error("several providers take only a plain object as input: no combinators at the top")
	}
	walkSchema(s.In, "#", func(p *jsonschema.Schema, at string) {
		if p.Ref != "" || len(p.Types) > 0 {
			t.Errorf("%s: a reference or several types", at)
		}
		switch p.Type {
		case "string":
			if p.MaxLength == nil && len(p.Enum) == 0 {
				t.Errorf("%s: a string without a largest length", at)
			}
		case "number", "integer":
			if p.Minimum == nil && p.ExclusiveMinimum == nil { // Invoke limits the upper end of every number
				t.Errorf("%s: a number without a least value", at)
			}
		case "array":
			if p.MaxItems == nil || p.Items == nil {
				t.Errorf("%s: an array without a largest size or without items", at)
			}
		}
	})
	for name, p := range s.In.Properties {
		if p.Description == "" {
			t.Errorf("%s is not described", name)
		}
		flat := p.Type != "object" && (p.Type != "array" || p.Items != nil && p.Items.Type != "object" && p.Items.Type != "array")
		if s.Category == tool.Info && !flat {
			t.Errorf("%s: the parameters of an info tool go into a query, so they must be flat", name)
		}
	}
}

func checkOutput(t *testing.T, s tool.Spec) {
	t.Helper()
	if s.Out.Properties["success"] == nil || s.Out.Properties["success"].Type != "boolean" {
		t.Error("the result has no success")
	}
	walkSchema(s.Out, "#", func(p *jsonschema.Schema, at string) {
		if p.AdditionalProperties != nil && p.AdditionalProperties.Not != nil {
			t.Errorf("%s is closed: a later field would break clients that validate", at)
		}
	})
}

// walkSchema calls f for every schema below s.
func walkSchema(s *jsonschema.Schema, at string, f func(s *jsonschema.Schema, at string)) {
	if s == nil {
		return
	}
	f(s, at)
	for name, p := range s.Properties {
		walkSchema(p, at+"/"+name, f)
	}
	walkSchema(s.Items, at+"/items", f)
}

// TestZeroResultsAreValid checks that a result with missing values still matches the
// tool's schema. A nil slice must not be encoded as null.
func TestZeroResultsAreValid(t *testing.T) {
	for _, x := range All() {
		s := x.Spec()
		t.Run(s.Name, func(t *testing.T) {
			r, err := s.Out.Resolve(nil)
			require.NoError(t, err)
			out := reflect.New(outType(t, x)).Elem()
			fill(out)
			raw, err := json.Marshal(out.Interface())
			require.NoError(t, err)
			var v any
			require.NoError(t, json.Unmarshal(raw, &v))
			if err := r.Validate(v); err != nil {
				t.Errorf("%s: %v", raw, err)
			}
		})
	}
}

// outType returns the type of a tool's output: the first result of Ask.
func outType(t *testing.T, x tool.Any) reflect.Type {
	t.Helper()
	ask, ok := reflect.TypeOf(x).MethodByName("Ask")
	if !ok {
		t.Fatal("no Ask")
	}
	return ask.Type.Out(0)
}

// fill makes slices empty instead of nil, as bodies must, because nil is null in JSON.
// If only certain values are allowed, it sets the first.
func fill(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // the others keep their value
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && v.Type() != reflect.TypeFor[time.Time]() {
				fill(v.Field(i))
			}
			if words, ok := f.Tag.Lookup("enum"); ok && f.Type.Kind() == reflect.String {
				first, _, _ := strings.Cut(words, ",")
				v.Field(i).SetString(first)
			}
		}
	case reflect.Slice:
		if v.Type() != reflect.TypeFor[json.RawMessage]() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	}
}

// TestExamplesAreValid calls each tool with its example, which must reach the body.
func TestExamplesAreValid(t *testing.T) {
	b := eventbus.New()
	for _, x := range All() {
		s := x.Spec()
		if s.Example == "" {
			t.Errorf("%s has no example", s.Name)
			continue
		}
		// Without a body, a valid call fails with an internal error, and an invalid one
		// fails before.
		if _, _, err := x.Invoke(t.Context(), b, json.RawMessage(s.Example)); tool.AsError(err).Code != tool.Internal {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

// TestDefaultsAreValid checks that defaults pass the validation.
func TestDefaultsAreValid(t *testing.T) {
	for _, x := range All() {
		s := x.Spec()
		for name, p := range s.In.Properties {
			if len(p.Default) == 0 {
				continue
			}
			r, err := p.Resolve(nil)
			require.NoError(t, err)
			var v any
			require.NoError(t, json.Unmarshal(p.Default, &v))
			if err := r.Validate(v); err != nil {
				t.Errorf("%s: the default of %s: %v", s.Name, name, err)
			}
		}
	}
}

// TestCategoriesAreTheContracts lists every read-only tool.
func TestCategoriesAreTheContracts(t *testing.T) {
	info := map[string]bool{
		"session_list": true, "get_execution": true, "get_variables": true, "get_dataframe_info": true,
		"list_session_images": true, "get_image_resource": true, "notebook_read": true, "file_list": true, "file_read": true, "search_history": true,
		"get_current_folder": true, "get_selected_files": true, "get_files_in_view": true, "get_prompt_info": true,
	}
	for _, x := range All() {
		s := x.Spec()
		if (s.Category == tool.Info) != info[s.Name] {
			t.Errorf("%s is of category %s", s.Name, s.Category)
		}
		delete(info, s.Name)
	}
	for name := range info {
		t.Errorf("%s is missing", name)
	}
}

func TestEndedStatesAreThoseThatChangeNoMore(t *testing.T) {
	for status, want := range map[string]bool{
		StatusQueued: false, StatusAwaiting: false, StatusAwaitingInput: false, StatusRunning: false,
		StatusOK: true, StatusError: true, StatusInterrupted: true, StatusCancelled: true,
		StatusTimeout: true, StatusKernelDied: true, StatusLost: true,
	} {
		if Ended(status) != want {
			t.Errorf("Ended(%s) is %v", status, !want)
		}
	}
}

// TestEnumsHaveEveryWord: a word that the code uses and the schema does not have
// would be refused by a client that validates.
func TestEnumsHaveEveryWord(t *testing.T) {
	execution, session := ExecuteCode.Spec().Out, SessionList.Spec().Out.Properties["sessions"].Items
	for name, c := range map[string]struct {
		schema *jsonschema.Schema
		words  []string
	}{
		"the status of an execution": {execution.Properties["status"], []string{
			StatusQueued, StatusAwaiting, StatusAwaitingInput, StatusRunning, StatusOK, StatusError, StatusInterrupted, StatusCancelled,
			StatusTimeout, StatusKernelDied, StatusLost,
		}},
		"the code of its error": {execution.Properties["error"].Properties["code"], []string{
			CodeExecution, CodeInterrupted, CodeCancelled, string(tool.Denied), string(tool.ApprovalTimeout), CodeTimeout,
			CodeKernelDied, CodeOutputLost,
		}},
		"the outcome of an interrupt": {SessionInterrupt.Spec().Out.Properties["outcome"], []string{
			Interrupted, StillRuns, EndedItself, NothingRan, Withdrawn,
		}},
		"the owner of a session": {session.Properties["owner"], []string{"easel", "other"}},
		"how images come":        {tool.SchemaOf[Settings]().Properties["delivery"], []string{"", ImagesInline, ImagesLink, ImagesNone}},
	} {
		got := make([]string, len(c.schema.Enum))
		for i, v := range c.schema.Enum {
			got[i] = v.(string)
		}
		if !slices.Equal(got, c.words) {
			t.Errorf("%s is one of %q, want %q", name, got, c.words)
		}
	}
}

// TestRulesAreStatedOnce: MCP clients read a rule over several parameters in the
// description, and its listed schema does not have it.
func TestRulesAreStatedOnce(t *testing.T) {
	ruled := make(map[string]string)
	for _, x := range All() {
		s := x.Spec()
		rule := s.Either.Sentence()
		if rule == "" {
			continue
		}
		ruled[s.Name] = rule
		if strings.Count(s.Description, rule) != 1 {
			t.Errorf("%s says %q not exactly once: %s", s.Name, rule, s.Description)
		}
		walkSchema(s.In, "#", func(p *jsonschema.Schema, at string) {
			if p.AnyOf != nil || p.OneOf != nil || p.AllOf != nil {
				t.Errorf("%s %s has a union, which some model providers refuse", s.Name, at)
			}
		})
	}
	for name, rule := range map[string]string{
		"session_connect": "Give notebook_path or kernel_id.", "select_file": "Give path or paths.", "set_tags": "Give add or remove.",
		"navigate_image": "Give either direction or index.", "notebook_edit_cell": "Give cell_id or index.",
		"notebook_move_cell": "Give cell_id or index.", "notebook_delete_cell": "Give cell_id or index.", "notebook_run_cell": "Give cell_id or index.",
	} {
		if ruled[name] != rule {
			t.Errorf("%s has the rule %q, want %q", name, ruled[name], rule)
		}
	}
}
