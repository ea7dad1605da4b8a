package main

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	render "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads what GitHub reads. The pages are our own, so HTML in them is kept.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(render.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))),
)

// parse parses a page, with the anchors that GitHub gives to headings.
func parse(source []byte) ast.Node {
	ctx := parser.NewContext(parser.WithIDs(&anchors{used: map[string]int{}}))
	return markdown.Parser().Parse(text.NewReader(source), parser.WithContext(ctx))
}

// anchors makes the ids of headings as GitHub does.
type anchors struct{ used map[string]int }

// Generate returns the anchor of a heading with this Markdown.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	id := b.String()
	n := a.used[id]
	a.used[id]++
	if n > 0 {
		id += "-" + strconv.Itoa(n)
	}
	return []byte(id)
}

// Put notes an anchor that the Markdown itself names.
func (a *anchors) Put(value []byte) { a.used[string(value)]++ }

// render fills in what a page shows.
func (s *site) render(p *page) error {
	var problem error
	err := ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			s.name(p, n)
			n.Destination, problem = s.target(p, string(n.Destination))
		case *ast.Image:
			n.Destination, problem = s.target(p, string(n.Destination))
		case *ast.Heading:
			p.heading(n)
		}
		return ast.WalkContinue, problem
	})
	if err != nil {
		return err
	}
	p.split()
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, p.text, p.doc); err != nil {
		return err
	}
	p.body = template.HTML(out.String()) //nolint:gosec // our own pages
	return nil
}

func (p *page) heading(n *ast.Heading) {
	if n.Level == 2 || n.Level == 3 {
		p.contents = append(p.contents, heading{ID: anchor(n), Text: plain(n, p.text), Level: n.Level})
	}
}

func anchor(n ast.Node) string {
	if id, ok := n.AttributeString("id"); ok {
		if id, ok := id.([]byte); ok {
			return string(id)
		}
	}
	return ""
}

// split divides a page into what the search finds.
func (p *page) split() {
	weight := 2
	if forContributors(p.source) {
		weight = 1
	}
	current := section{Address: p.address, Page: p.title, Heading: p.title, Weight: weight}
	var words []string
	done := func() {
		current.Text = strings.Join(strings.Fields(strings.Join(words, " ")), " ")
		p.sections = append(p.sections, current)
		words = nil
	}
	for n := p.doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level > 1 {
			done()
			current.Address, current.Heading = p.address+"#"+anchor(h), plain(h, p.text)
			continue
		}
		words = append(words, plain(n, p.text))
	}
	done()
}

// plain returns the text of a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case n.Type() == ast.TypeBlock && !entering:
			b.WriteByte(' ')
		case !entering:
		case n.Kind() == ast.KindFencedCodeBlock, n.Kind() == ast.KindCodeBlock:
			b.Write(n.Lines().Value(source))
		default:
			inline(&b, n, source)
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

func inline(b *strings.Builder, n ast.Node, source []byte) {
	switch n := n.(type) {
	case *ast.Text:
		b.Write(util.UnescapePunctuations(n.Segment.Value(source)))
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.WriteByte(' ')
		}
	case *ast.String:
		b.Write(n.Value)
	case *ast.AutoLink:
		b.Write(n.Label(source))
	}
}

// name gives a link whose text is a file's name, as in "tools.md lists them", the title of that page.
func (s *site) name(p *page, n *ast.Link) {
	name, _, _ := strings.Cut(string(n.Destination), "#")
	to := s.bySrc[path.Join(path.Dir(p.source), name)]
	if text := plain(n, p.text); to == nil || !strings.HasSuffix(text, ".md") {
		return
	}
	n.RemoveChildren(n)
	n.AppendChild(n, ast.NewString([]byte(to.label())))
}

// target returns where a link of a page leads within the site: to another page, or to a copy of another file.
func (s *site) target(p *page, destination string) ([]byte, error) {
	u, err := url.Parse(destination)
	if err != nil || u.IsAbs() || u.Path == "" {
		return []byte(destination), err
	}
	source := path.Join(path.Dir(p.source), u.Path)
	if to := s.bySrc[source]; to != nil {
		u.Path = relative(p.address, to.address)
		return []byte(u.String()), nil
	}
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(source)))
	if err != nil || info.IsDir() {
		return nil, fmt.Errorf("the link %s leads to no file", destination)
	}
	s.copied[source] = true
	u.Path = relative(p.address, copyAddress(source))
	return []byte(u.String()), nil
}

// copyAddress returns where the copy of a file is in the site.
func copyAddress(source string) string {
	if name, ok := strings.CutPrefix(source, "docs/"); ok {
		return name
	}
	return "files/" + source
}

// relative returns the link from one page of the site to another.
func relative(from, to string) string {
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(to))
	if err != nil { // only if one of them were absolute
		return to
	}
	return filepath.ToSlash(rel)
}

// blocks renders code with colours, headings with a link to themselves, and tables that scroll.
type blocks struct{}

// RegisterFuncs tells goldmark what is rendered here.
func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindHeading, title)
}

func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	block, ok := n.(*ast.FencedCodeBlock)
	if !ok || !entering {
		return ast.WalkContinue, nil
	}
	lexer := lexers.Get(string(block.Language(source)))
	if lexer == nil {
		lexer = lexers.Fallback
	}
	tokens, err := lexer.Tokenise(nil, string(block.Lines().Value(source)))
	if err != nil {
		return ast.WalkStop, err
	}
	return ast.WalkContinue, html.New(html.WithClasses(true)).Format(w, styles.Fallback, tokens)
}

func title(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h, ok := n.(*ast.Heading)
	if !ok {
		return ast.WalkContinue, nil
	}
	id := template.HTMLEscapeString(anchor(h))
	if entering {
		_, err := fmt.Fprintf(w, "<h%d id=\"%s\">", h.Level, id)
		return ast.WalkContinue, err
	}
	self := ""
	if h.Level > 1 {
		self = ` <a class="self" href="#` + id + `" aria-hidden="true" tabindex="-1">#</a>`
	}
	_, err := fmt.Fprintf(w, "%s</h%d>\n", self, h.Level)
	return ast.WalkContinue, err
}
