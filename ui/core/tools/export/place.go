package export

import (
	"cmp"
	"regexp"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
)

// A place is where a plot was drawn. One kernel can draw the plots of one place again.
type place struct {
	root    string // of the project; "" if it is none of Easel's
	python  string // the folder of the interpreter; "" if unknown
	name    string // of the environment; "" if it has none
	says    string // the environment in words
	server  string
	minor   string // version of the language
	layered bool   // the interpreter is Easel's own
}

var (
	// layerID is the part of the path of Easel's own Python that is of one session.
	layerID = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	minor   = regexp.MustCompile(`^[0-9]+\.[0-9]+`)
)

// placeOf returns where an execution of a session drew. env is the zero Environment if it is not known.
func placeOf(sess library.Session, env catalog.Environment) place {
	name, _, _ := strings.Cut(sess.Environment, ", ")
	name = cmp.Or(env.Name, name)
	words := strings.TrimSuffix(strings.TrimPrefix(name+", "+env.Interpreter(), ", "), ", ")
	if env.Language == "" {
		words = cmp.Or(sess.Environment, sess.KernelName, "python3")
	}
	python := layerID.ReplaceAllString(env.Executable, "")
	return place{
		root: sess.Project, python: python[:max(0, strings.LastIndexAny(python, `/\`))], name: name,
		says: words, server: sess.Server, minor: minor.FindString(env.Version), layered: python != env.Executable,
	}
}

// same reports whether one kernel can stand for both. Packages and Python itself may have been updated
// between the plots.
func (p place) same(q place) bool {
	known := p.python != "" && q.python != ""
	// Without a root, it may be the user's own server in the same project.
	roots := p.root == q.root || (p.root == "" || q.root == "") && !p.layered && !q.layered
	// The same path may be on two computers.
	elsewhere := p.server != q.server && p.minor != "" && q.minor != "" && p.minor != q.minor
	return roots && !elsewhere && (known && p.python == q.python || !known && p.name == q.name)
}

// twoPlaces refuses plots of two places.
func twoPlaces(language string, a, b place) error {
	as, bs := a.words(language), b.words(language)
	if as == bs {
		as, bs = as+" ("+cmp.Or(a.root, a.python, a.server)+")", bs+" ("+cmp.Or(b.root, b.python, b.server)+")"
	}
	return twoKernels(language, as, bs)
}

// words returns the environment in a language.
func (p place) words(language string) string {
	switch {
	case !p.layered:
		return p.says
	case language == "ja":
		return "Easel の " + p.says
	default:
		return "Easel's own " + p.says
	}
}

// twoKernels refuses plots that one kernel cannot draw.
func twoKernels(language, a, b string) error {
	text := "A notebook has one kernel, but these plots are from %.120q and %.120q. Export the plots of each as a notebook of their own."
	if language == "ja" {
		text = "ノートブックのカーネルは 1 つですが、これらのプロットは「%.120s」と「%.120s」で描かれています。環境ごとにプロットを選び、別々のノートブックにエクスポートしてください。"
	}
	return tool.Errorf(tool.NotExecutable, text, a, b)
}
