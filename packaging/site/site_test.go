package main

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"
)

const root = "../.."

func readSite(t *testing.T) *site {
	t.Helper()
	s, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.pages) < 60 {
		t.Fatalf("only %d pages", len(s.pages))
	}
	return s
}

func readSource(t *testing.T, source string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(source)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestLinksOfMarkdown follows the links between the files, as GitHub does.
func TestLinksOfMarkdown(t *testing.T) {
	anchorsOf := map[string][]string{}
	links := 0
	for _, source := range markdownFiles(t) {
		doc := parse(readSource(t, source))
		for _, destination := range destinations(doc) {
			u, err := url.Parse(destination)
			if err != nil {
				t.Errorf("%s: %v", source, err)
				continue
			}
			if u.IsAbs() || strings.HasPrefix(destination, "@") { // a variable of a package
				continue
			}
			links++
			to := source
			if u.Path != "" {
				to = path.Join(path.Dir(source), u.Path)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: the link %s leads to no file", source, destination)
				continue
			}
			if u.Fragment == "" || !strings.HasSuffix(to, ".md") {
				continue
			}
			if _, ok := anchorsOf[to]; !ok {
				anchorsOf[to] = ids(parse(readSource(t, to)))
			}
			if !slices.Contains(anchorsOf[to], u.Fragment) {
				t.Errorf("%s: %s has no heading for the link %s", source, to, destination)
			}
		}
	}
	if links < 200 {
		t.Errorf("only %d links were found", links)
	}
}

// repository calls visit with each file of the repository that is written by hand.
func repository(t *testing.T, visit func(name string)) {
	t.Helper()
	skipped := []string{".git", ".cache", "bin", "dist", "demo", "node_modules", "failed", "libs"}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skipped, d.Name()):
			return fs.SkipDir
		case !d.IsDir():
			visit(filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func markdownFiles(t *testing.T) (all []string) {
	t.Helper()
	repository(t, func(name string) {
		if strings.HasSuffix(name, ".md") && !strings.Contains(name, "testdata/") && !strings.Contains(name, "/templates/") {
			all = append(all, name)
		}
	})
	return all
}

func destinations(doc ast.Node) (all []string) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				all = append(all, string(n.Destination))
			}
		case *ast.Image:
			if entering {
				all = append(all, string(n.Destination))
			}
		}
		return ast.WalkContinue, nil
	})
	return all
}

func ids(doc ast.Node) (all []string) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == ast.KindHeading && entering {
			all = append(all, anchor(n))
		}
		return ast.WalkContinue, nil
	})
	return all
}

// TestPathsInCode looks for the pages that comments, help texts, scripts and the window name.
func TestPathsInCode(t *testing.T) {
	named := regexp.MustCompile(`(?:^|[^\w/.-])(docs/[\w./-]+\.md|docs/adr/\d{4})(?:#([\w-]+))?`)
	kinds := []string{"", ".go", ".py", ".sh", ".txt", ".yml", ".yaml", ".json", ".mjs", ".ts", ".md", ".nsi", ".rb"}
	found := 0
	repository(t, func(name string) {
		if !slices.Contains(kinds, path.Ext(name)) {
			return
		}
		for _, m := range named.FindAllStringSubmatch(string(readSource(t, name)), -1) {
			found++
			pattern := m[1]
			if !strings.HasSuffix(pattern, ".md") {
				pattern += "-*"
			}
			matches, err := filepath.Glob(filepath.Join(root, pattern))
			if err != nil || len(matches) == 0 {
				t.Errorf("%s names %s, which does not exist", name, m[1])
			} else if m[2] != "" && !slices.Contains(ids(parse(readSource(t, m[1]))), m[2]) {
				t.Errorf("%s names %s, but there is no such heading", name, m[0])
			}
		}
	})
	if found < 50 {
		t.Errorf("only %d paths were found", found)
	}
}

// A built is a page of the written site.
type built struct {
	ids   []string
	links []string // of the page itself
	parts []string // pictures, styles and scripts
	h1    int
}

func build(t *testing.T) (string, map[string]*built) {
	t.Helper()
	out := t.TempDir()
	if err := readSite(t).write(out); err != nil {
		t.Fatal(err)
	}
	pages := map[string]*built{}
	err := filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".html" {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		doc, err := html.Parse(f)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(out, name)
		pages[filepath.ToSlash(rel)] = examine(t, rel, doc)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, pages
}

func examine(t *testing.T, name string, doc *html.Node) *built {
	t.Helper()
	b := &built{}
	for n := range doc.Descendants() {
		attributes := map[string]string{}
		for _, a := range n.Attr {
			attributes[a.Key] = a.Val
		}
		if id := attributes["id"]; id != "" {
			if slices.Contains(b.ids, id) {
				t.Errorf("%s: two elements have the id %s", name, id)
			}
			b.ids = append(b.ids, id)
		}
		if _, ok := attributes["alt"]; n.Data == "img" && !ok {
			t.Errorf("%s: the picture %s has no text", name, attributes["src"])
		}
		switch n.Data {
		case "a":
			b.links = append(b.links, attributes["href"])
		case "img", "script":
			b.parts = append(b.parts, attributes["src"])
		case "source":
			b.parts = append(b.parts, attributes["srcset"])
		case "link":
			b.parts = append(b.parts, attributes["href"])
		case "h1":
			b.h1++
		}
	}
	return b
}

// TestLinksOfTheSite follows each link within the written site. Pages load nothing from elsewhere.
func TestLinksOfTheSite(t *testing.T) {
	out, pages := build(t)
	for name, b := range pages {
		if b.h1 != 1 {
			t.Errorf("%s has %d headings of the first level", name, b.h1)
		}
		for _, part := range b.parts {
			if _, err := os.Stat(filepath.Join(out, path.Dir(name), part)); err != nil {
				t.Errorf("%s loads %q, which the site does not have", name, part)
			}
		}
		for _, to := range b.links {
			u, err := url.Parse(to)
			if err != nil || u.IsAbs() {
				continue
			}
			target := name
			if u.Path != "" {
				target = path.Join(path.Dir(name), u.Path)
			}
			if _, err := os.Stat(filepath.Join(out, target)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", name, to)
			} else if page := pages[target]; u.Fragment != "" && page != nil && !slices.Contains(page.ids, u.Fragment) {
				t.Errorf("%s: %s has no place for the link %s", name, target, to)
			}
		}
	}
}

// TestEachPageIsTwoClicksAway counts the clicks from both start pages.
func TestEachPageIsTwoClicksAway(t *testing.T) {
	_, pages := build(t)
	for _, start := range []string{"index.html", "index.ja.html"} {
		clicks := map[string]int{start: 0}
		for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
			from := queue[0]
			for _, to := range pages[from].links {
				u, err := url.Parse(to)
				if err != nil || u.IsAbs() || u.Path == "" {
					continue
				}
				target := path.Join(path.Dir(from), u.Path)
				if _, seen := clicks[target]; !seen && pages[target] != nil {
					clicks[target] = clicks[from] + 1
					queue = append(queue, target)
				}
			}
		}
		for name := range pages {
			if n, ok := clicks[name]; !ok || n > 2 {
				t.Errorf("%s is %d clicks from %s (reachable: %v)", name, n, start, ok)
			}
		}
	}
}

// TestOutputIsNotDeleted checks that the site replaces only a site.
func TestOutputIsNotDeleted(t *testing.T) {
	out := t.TempDir()
	kept := filepath.Join(out, "thesis.txt")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := emptied(out); err == nil {
		t.Error("a directory with other files was emptied")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// TestDecisionsAreNumbered checks that each decision has a number of its own, and that its title has it.
func TestDecisionsAreNumbered(t *testing.T) {
	seen := map[string]string{}
	for _, source := range markdownFiles(t) {
		number, _, _ := strings.Cut(path.Base(source), "-")
		if path.Dir(source) != "docs/adr" || len(number) != 4 {
			continue
		}
		if other := seen[number]; other != "" {
			t.Errorf("%s and %s have one number", other, source)
		}
		seen[number] = source
		if title, _, _ := strings.Cut(string(readSource(t, source)), "\n"); !strings.HasPrefix(title, "# "+number+". ") {
			t.Errorf("%s: the title is %q", source, title)
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d decisions", len(seen))
	}
}
