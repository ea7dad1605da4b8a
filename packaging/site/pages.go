package main

import (
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// A page is one Markdown file, rendered.
type page struct {
	source   string // from the repository's root, with slashes: docs/guide.md
	address  string // within the site: guide.html
	language string // en or ja
	title    string // its first heading
	text     []byte
	doc      ast.Node
	body     template.HTML
	contents []heading
	sections []section
}

// A heading is one of the second or third level, for the list of contents.
type heading struct {
	ID, Text string
	Level    int
}

// A section is what the search finds: the text from a heading to the next.
type section struct {
	Address string `json:"u"`
	Page    string `json:"p"`
	Heading string `json:"h"`
	Text    string `json:"t"`
	Weight  int    `json:"w"` // 2 for users' pages, 1 for contributors'
}

// A site is all of it.
type site struct {
	root   string
	pages  []*page
	bySrc  map[string]*page
	copied map[string]bool // other files of the repository that pages refer to
}

// A group is a part of the navigation. Pages that no group names are added to the group of their directory.
type group struct {
	Title, Japanese string
	sources         []string
	dir             string // whose other pages belong here
}

var groups = []group{
	{"Start", "はじめに", []string{"docs/guide.md", "docs/guide.ja.md", "docs/install.md", "docs/connect.md"}, ""},
	{"Use", "使い方", []string{"docs/window.md", "docs/jupyter.md", "docs/vscode.md", "docs/export.md", "docs/log.md", "docs/files.md"}, "docs"},
	{"Reference", "リファレンス", []string{"docs/api.md", "docs/tools.md", "docs/errors.md", "docs/clients.md"}, ""},
	{"About", "Easel について", []string{
		"README.md", "docs/comparison.md", "docs/rough-edges.md", "SECURITY.md", "docs/privacy.md",
		"CHANGELOG.md",
	}, ""},
	{"Contribute", "開発", []string{"CONTRIBUTING.md", "ARCHITECTURE.md", decisions}, "docs/dev"},
}

// decisions is the list of docs/adr, which has no file: GitHub shows the directory.
const decisions = "docs/adr"

// short are the titles of the navigation where a page's own is long, or is the program's.
var short = map[string]string{
	"README.md": "Overview", "docs/guide.ja.md": "ガイド（日本語）", "docs/jupyter.md": "Your own Jupyter",
	"docs/files.md": "Files and privacy", "docs/clients.md": "Client test results", "docs/install.md": "Install",
	"docs/dev/clients.md": "Testing clients", "docs/dev/windows.md": "Testing on Windows", "CHANGELOG.md": "Changes",
}

// read reads and renders all pages of the repository at root.
func read(root string) (*site, error) {
	s := &site{root: root, bySrc: map[string]*page{}, copied: map[string]bool{}}
	var sources []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return nil, err
			}
			sources = append(sources, filepath.ToSlash(rel))
		}
	}
	for _, source := range sources {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(source)))
		if err != nil {
			return nil, err
		}
		s.add(source, address(source), text)
	}
	s.add(decisions, "adr/index.html", s.decisionList())
	for _, p := range s.pages {
		if err := s.render(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.source, err)
		}
	}
	return s, nil
}

func (s *site) add(source, address string, text []byte) {
	p := &page{source: source, address: address, language: "en", text: text, doc: parse(text)}
	if strings.HasSuffix(source, ".ja.md") {
		p.language = "ja"
	}
	for n := p.doc.FirstChild(); n != nil && p.title == ""; n = n.NextSibling() {
		if n.Kind() == ast.KindHeading {
			p.title = plain(n, text)
		}
	}
	s.pages = append(s.pages, p)
	s.bySrc[source] = p
}

// address returns where the page of a file is in the site.
func address(source string) string {
	name, inDocs := strings.CutPrefix(source, "docs/")
	if !inDocs {
		name = strings.ToLower(name)
	}
	if dir, base := path.Split(name); base == "README.md" {
		return dir + "index.html"
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// decisionList returns a page that lists docs/adr.
func (s *site) decisionList() []byte {
	var b strings.Builder
	b.WriteString("# Decisions\n\nWhy Easel is as it is: one page for each decision, with its context and its consequences.\n\n")
	for _, p := range s.pages {
		if isDecision(p.source) {
			fmt.Fprintf(&b, "- [%s](adr/%s)\n", p.title, path.Base(p.source))
		}
	}
	return []byte(b.String())
}

func isDecision(source string) bool { return strings.HasPrefix(source, decisions+"/") }

// forContributors reports whether users need a page less than others.
func forContributors(source string) bool {
	return isDecision(source) || strings.HasPrefix(source, "docs/dev/") || source == "CHANGELOG.md" || source == "ARCHITECTURE.md"
}

// navigation returns the pages of each group, without the decisions themselves.
func (s *site) navigation() (all [][]*page) {
	named := map[string]bool{}
	for _, g := range groups {
		for _, source := range g.sources {
			named[source] = true
		}
	}
	for _, g := range groups {
		var members []*page
		for _, source := range g.sources {
			if p := s.bySrc[source]; p != nil {
				members = append(members, p)
			}
		}
		var others []*page
		for _, p := range s.pages {
			inside := path.Dir(p.source) == g.dir || g.dir == "docs/dev" && strings.HasPrefix(p.source, "docs/dev/")
			if g.dir != "" && inside && !named[p.source] {
				others = append(others, p)
			}
		}
		slices.SortFunc(others, func(a, b *page) int { return strings.Compare(a.label(), b.label()) })
		all = append(all, append(members, others...))
	}
	return all
}

// label returns a page's title in the navigation.
func (p *page) label() string {
	if title, ok := short[p.source]; ok {
		return title
	}
	return p.title
}

// counterpart returns the page in the other language, or nil.
func (s *site) counterpart(p *page) *page {
	if p.language == "ja" {
		return s.bySrc[strings.TrimSuffix(p.source, ".ja.md")+".md"]
	}
	return s.bySrc[strings.TrimSuffix(p.source, ".md")+".ja.md"]
}
