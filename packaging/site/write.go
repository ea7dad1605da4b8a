package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/styles"
)

//go:embed theme
var theme embed.FS

// words are what all pages of a language show.
var words = map[string]map[string]string{
	"en": {
		"search": "Search", "none": "Nothing found", "menu": "Pages", "contents": "On this page",
		"other": "日本語", "skip": "Skip to the text",
	},
	"ja": {
		"search": "検索", "none": "見つかりませんでした", "menu": "ページ一覧", "contents": "このページの内容",
		"other": "English", "skip": "本文へ移動",
	},
}

// A view is what layout.html shows.
type view struct {
	Language, Title string
	Start           bool   // one of the two start pages
	Root            string // the link to the site's root: "" or "../"
	Home, Other     string
	Groups          []menu
	Body            template.HTML
	Contents        []heading
	Words           map[string]string
}

// A menu is a group of the navigation.
type menu struct {
	Title string
	Links []link
}

// A link leads to a page of the site.
type link struct {
	Href, Text string
	Here       bool
}

// write writes the site into a directory, which it replaces.
func (s *site) write(out string) error {
	if err := emptied(out); err != nil {
		return err
	}
	layout, err := template.ParseFS(theme, "theme/layout.html")
	if err != nil {
		return err
	}
	for _, p := range s.pages {
		if err := put(out, p.address, layout, s.view(p)); err != nil {
			return err
		}
	}
	for language, name := range map[string]string{"en": "index", "ja": "index.ja"} {
		body, err := theme.ReadFile("theme/" + name + ".html")
		if err != nil {
			return err
		}
		p := &page{address: name + ".html", language: language, body: template.HTML(body)} //nolint:gosec // our own page
		v := s.view(p)
		v.Start, v.Title = true, map[string]string{"en": "See what your assistant plots", "ja": "アシスタントの描画を、いつも目の前に"}[language]
		if err := put(out, p.address, layout, v); err != nil {
			return err
		}
	}
	if err := s.writeSearch(out); err != nil {
		return err
	}
	return s.copyFiles(out)
}

// emptied makes a directory, or removes what an earlier run wrote there. It refuses a directory of something else.
func emptied(out string) error {
	const mark = "search-index.js"
	if names, err := os.ReadDir(out); err == nil && len(names) > 0 {
		if _, err := os.Stat(filepath.Join(out, mark)); err != nil {
			return fmt.Errorf("%s is not empty, and not a site of an earlier run", out)
		}
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.MkdirAll(out, 0o755) //nolint:gosec // for a web server
}

func put(out, address string, layout *template.Template, v view) error {
	var b bytes.Buffer
	if err := layout.Execute(&b, v); err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	return save(out, address, b.Bytes())
}

func save(out, address string, data []byte) error {
	name := filepath.Join(out, filepath.FromSlash(address))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // for a web server
		return err
	}
	return os.WriteFile(name, data, 0o644) //nolint:gosec // for a web server
}

// view returns what layout.html needs for a page.
func (s *site) view(p *page) view {
	home := map[string]string{"en": "index.html", "ja": "index.ja.html"}
	other := home[map[string]string{"en": "ja", "ja": "en"}[p.language]]
	if p.source != "" {
		if c := s.counterpart(p); c != nil {
			other = c.address
		}
	}
	v := view{
		Language: p.language, Title: p.label(), Root: strings.Repeat("../", strings.Count(p.address, "/")),
		Home: relative(p.address, home[p.language]), Other: relative(p.address, other),
		Body: p.body, Words: words[p.language],
	}
	if len(p.contents) > 1 {
		v.Contents = p.contents
	}
	for i, members := range s.navigation() {
		m := menu{Title: groups[i].Title}
		if p.language == "ja" {
			m.Title = groups[i].Japanese
		}
		for _, to := range members {
			here := to == p || to.source == decisions && isDecision(p.source)
			m.Links = append(m.Links, link{Href: relative(p.address, to.address), Text: to.label(), Here: here})
		}
		v.Groups = append(v.Groups, m)
	}
	return v
}

// writeSearch writes what the search needs. A browser loads no data from a file system, but scripts, so the texts are one.
func (s *site) writeSearch(out string) error {
	var all []section
	for _, p := range s.pages {
		all = append(all, p.sections...)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return save(out, "search-index.js", append([]byte("window.easelSections = "), append(data, ";\n"...)...))
}

// copyFiles copies the theme's files, the icon, and what pages refer to.
func (s *site) copyFiles(out string) error {
	css, err := colours()
	if err != nil {
		return err
	}
	for _, name := range []string{"style.css", "site.js", "minisearch.js"} {
		data, err := theme.ReadFile("theme/" + name)
		if err != nil {
			return err
		}
		if name == "style.css" {
			data = append(data, css...)
		}
		if err := save(out, name, data); err != nil {
			return err
		}
	}
	pictures, err := filepath.Glob(filepath.Join(s.root, "docs", "images", "start*"))
	if err != nil {
		return err
	}
	for _, name := range pictures {
		s.copied[path.Join("docs/images", filepath.Base(name))] = true
	}
	icon, err := os.ReadFile(filepath.Join(s.root, "assets", "easel.svg"))
	if err != nil {
		return err
	}
	if err := save(out, "easel.svg", icon); err != nil {
		return err
	}
	for source := range s.copied {
		data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(source)))
		if err != nil {
			return err
		}
		if err := save(out, copyAddress(source), data); err != nil {
			return err
		}
	}
	return nil
}

// colours returns the styles of code, for light and dark. Neither names all kinds of tokens, so neither may add to the other.
func colours() ([]byte, error) {
	var b bytes.Buffer
	for _, s := range []struct{ scheme, style string }{{"light", "github"}, {"dark", "github-dark"}} {
		fmt.Fprintf(&b, "@media (prefers-color-scheme: %s) {\n", s.scheme)
		if err := html.New(html.WithClasses(true)).WriteCSS(&b, styles.Get(s.style)); err != nil {
			return nil, err
		}
		b.WriteString("}\n")
	}
	return b.Bytes(), nil
}
