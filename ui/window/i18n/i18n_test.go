package i18n

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
)

func words(t *testing.T, lang string) map[string]string {
	t.Helper()
	raw, err := files.ReadFile(lang + ".json")
	require.NoError(t, err)
	var w map[string]string
	if err := json.Unmarshal(raw, &w); err != nil {
		t.Fatalf("%s: %v", lang, err)
	}
	return w
}

var verb = regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0]*\d*(?:\.\d+)?([a-zA-Z%])`)

// verbs lists the arguments that a text takes, as "1d 2s", in the order of the
// arguments.
func verbs(s string) string {
	var vs []string
	next := 1
	for _, m := range verb.FindAllStringSubmatch(s, -1) {
		if m[2] == "%" {
			continue
		}
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
		}
		vs = append(vs, strconv.Itoa(next)+m[2])
		next++
	}
	slices.Sort(vs)
	return strings.Join(vs, " ")
}

func TestEveryLanguageHasEveryKeyWithTheSameArguments(t *testing.T) {
	en := words(t, "en")
	for _, lang := range Languages[1:] {
		other := words(t, lang)
		for key, text := range en {
			if strings.HasSuffix(key, ".one") {
				continue
			}
			got, ok := other[key]
			switch {
			case !ok:
				t.Errorf("%s: no text for %q", lang, key)
			case strings.TrimSpace(got) == "":
				t.Errorf("%s: %q is empty", lang, key)
			case verbs(got) != verbs(text):
				t.Errorf("%s: %q takes %q, in English %q", lang, key, verbs(got), verbs(text))
			}
		}
		for key := range other {
			if _, ok := en[key]; !ok {
				t.Errorf("%s: %q is not in English", lang, key)
			}
		}
	}
}

// used returns the message IDs in the source of the window and the core: every string
// with the form of a message ID, in a call of T or N or in a table.
func used(t *testing.T) map[string]token.Position {
	t.Helper()
	keys := make(map[string]token.Position)
	prefixes := make(map[string]bool)
	for key := range words(t, "en") {
		prefix, _, _ := strings.Cut(key, ".")
		prefixes[prefix] = true
	}
	set := token.NewFileSet()
	shape := regexp.MustCompile(`^[a-z]+(\.[a-z0-9_]+)+$`)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "T" || sel.Sel.Name == "N") && len(call.Args) > 0 {
					if lit, ok := call.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
						key, _ := strconv.Unquote(lit.Value)
						keys[key] = set.Position(lit.Pos())
					}
				}
			}
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				key, _ := strconv.Unquote(lit.Value)
				if prefix, _, _ := strings.Cut(key, "."); prefixes[prefix] && shape.MatchString(key) && !strings.HasSuffix(key, ".json") {
					keys[key] = set.Position(lit.Pos())
				}
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	return keys
}

func TestEveryKeyThatIsUsedHasAText(t *testing.T) {
	en := words(t, "en")
	keys := used(t)
	for key, at := range keys {
		if _, ok := en[key]; !ok {
			t.Errorf("%v: %q has no text", at, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(en)) {
		if _, ok := keys[strings.TrimSuffix(key, ".one")]; !ok && !dynamic(key) {
			t.Errorf("%q is used nowhere", key)
		}
	}
}

// dynamic reports whether a message ID is composed at run time.
func dynamic(key string) bool {
	for _, p := range []string{"status.", "notice.", "server.state.", "server.reason.", "sort.by.", "kernel.", "access.", "change.", "hold.", "apierror.", "activity.tool.", "redraw.why.", "redraw.by.", "viewer.layout.why.", "check.why.", "check.found.", "install.step.", "install.failed.", "way.unstored.", "why.", "find.key.", "find.problem.", "do.rate_", "do.sort_", "do.theme_", "do.access_"} {
		if strings.HasPrefix(key, p) {
			return true
		}
	}
	return false
}

func TestSystemLanguage(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"nothing set":            {nil, "en"},
		"Japanese":               {map[string]string{"LANG": "ja_JP.UTF-8"}, "ja"},
		"LC_ALL beats LANG":      {map[string]string{"LANG": "ja_JP.UTF-8", "LC_ALL": "C.UTF-8"}, "en"},
		"a language we have not": {map[string]string{"LANG": "fr_FR.UTF-8"}, "en"},
	} {
		if got := System(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestPlurals(t *testing.T) {
	if got := New("en").N("gallery.new", 1); got != "1 new plot" {
		t.Errorf("one: %q", got)
	}
	if got := New("en").N("gallery.new", 3); got != "3 new plots" {
		t.Errorf("three: %q", got)
	}
	if got := New("en").N("gallery.new", 1234567); got != "1,234,567 new plots" {
		t.Errorf("many: %q", got)
	}
	if got := fmt.Sprint(Number(-1234), Number(-123), Number(999)); got != "-1,234 -123 999" {
		t.Errorf("numbers: %s", got)
	}
	if got := New("ja").N("gallery.new", 1); strings.Contains(got, "%") {
		t.Errorf("Japanese: %q", got)
	}
}

func TestShortFormats(t *testing.T) {
	for d, want := range map[time.Duration]string{
		230 * time.Millisecond: "230 ms", 4200 * time.Millisecond: "4.2 s",
		3*time.Minute + 7*time.Second: "3:07", 2*time.Hour + 5*time.Second: "2:00:05", -1: "0 ms",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 12_345: "12 kB", 3_400_000: "3.4 MB", 2_000_000_000: "2.0 GB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestEveryLanguageNamesWhatASearchFinds(t *testing.T) {
	if got := strings.Join(Every("gallery.untitled"), ","); got != "Plot %d,プロット %d" {
		t.Errorf("got %q", got)
	}
}

func TestServerReason(t *testing.T) {
	for lang, want := range map[string]string{"en": "gpu accepts none of your ssh keys.", "ja": "gpu はどの ssh 鍵も受け付けません。"} {
		h := catalog.ServerHealth{URL: "ssh://ann@gpu:22/?port=8888", Reason: string(tunnel.Denied), Message: "as it is"}
		if got := New(lang).ServerReason(h); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", lang, got)
		}
		h.Reason = string(tunnel.Failed) // what ssh said
		if got := New(lang).ServerReason(h); got != h.Message {
			t.Errorf("%s: %s", lang, got)
		}
	}
}
