package window

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"easel/mcphost/catalog"
	"easel/ui/core/folders"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// renderEmpty says what to do while there is nothing to show.
func (c *galleryPage) renderEmpty(n *state.Snapshot) {
	of := ""
	switch {
	case !c.listed || len(c.ids) > 0 || n.Mode == state.Viewer || c.comparing:
	case filtered(n):
		of = "filtered"
	case preparing(n) != nil:
		of = "preparing"
	case n.Folder.Kind == state.Trash:
		of = "trash"
	case n.Folder.Kind == state.Directory:
		of = "directory"
	case c.trashed > 0:
		of = "trashed"
	case n.Folder.Kind == state.OneSession:
		of = "session"
	case len(n.Clients) == 0:
		of = "first"
	default:
		of = "waiting"
	}
	switch of {
	case "preparing":
		of += preparingKey(preparing(n))
	case "filtered":
		of += filterText(c.s.k, n)
	case "directory":
		for _, x := range c.subfolders() {
			of += fmt.Sprintf(" %q %d", x.Name, x.Pictures)
		}
	}
	if of == c.emptyOf {
		if c.progress != nil && strings.HasPrefix(of, "preparing") {
			c.progress(preparing(n))
		}
		return
	}
	c.emptyOf = of
	if of == "" {
		c.empty.Hide()
		return
	}
	c.empty = c.makeEmpty(strings.TrimRight(of, "\x00"), n)
	c.root.Objects[2] = c.empty
	c.arrange(c.root.Size())
	c.root.Refresh()
}

// preparing returns the managed server while it is not ready yet, for the first run.
func preparing(n *state.Snapshot) *state.Server {
	for i, s := range n.Servers {
		if s.Name == catalog.ManagedServer && s.State != "ready" {
			return &n.Servers[i]
		}
	}
	return nil
}

func (c *galleryPage) makeEmpty(of string, n *state.Snapshot) fyne.CanvasObject {
	k, a := c.s.k, c.s.a
	connect := func(kind kit.Kind) fyne.CanvasObject {
		return k.Button(kind, "connect", k.T("empty.connect"), "", func() { c.s.open(pageConnect) })
	}
	var demo fyne.CanvasObject
	if a.cfg.Demo != nil {
		demo = k.Button(kit.Quiet, "play", k.T("empty.demo"), "", c.demo)
	}
	actions := func(os ...fyne.CanvasObject) (kept []fyne.CanvasObject) {
		for _, o := range os {
			if o != nil {
				kept = append(kept, o)
			}
		}
		return kept
	}
	switch {
	case of == "filtered"+k.T("filter.findings"): // there is no other filter
		return k.Empty("finding", k.T("empty.findings"), k.T("empty.findings_text"),
			k.Button(kit.Quiet, "gallery", k.T("sidebar.all"), "", a.navigate.ClearFilters))
	case strings.HasPrefix(of, "filtered"):
		return k.Empty("filter", k.T("empty.filtered"), filterText(k, n),
			k.Button(kit.Primary, "", k.T("filter.clear"), "", a.navigate.ClearFilters))
	case strings.HasPrefix(of, "preparing"):
		return c.makePreparing(preparing(n), connect(kit.Quiet))
	case of == "trash":
		return k.Empty("trash", k.T("trash.none"), k.T("trash.none_text", n.Settings.TrashDays),
			k.Button(kit.Quiet, "gallery", k.T("sidebar.all"), "", func() { a.navigate.OpenAll("", 0) }))
	case of == "trashed":
		return k.Empty("trash", k.T("empty.trashed"), k.T("empty.trashed_text", n.Settings.TrashDays),
			k.Button(kit.Primary, "trash", k.T("empty.open_trash"), "", a.navigate.OpenTrash))
	case strings.HasPrefix(of, "directory"):
		return c.makeEmptyDirectory(n)
	case of == "session":
		return k.Empty("plot", k.T("empty.session"), k.T("empty.session_text"),
			k.Button(kit.Quiet, "gallery", k.T("sidebar.all"), "", func() { a.navigate.OpenAll("", 0) }))
	case of == "first":
		return k.Empty("connect", k.T("empty.first"), k.T("empty.first_text"), actions(connect(kit.Primary), demo)...)
	default:
		example := k.T("empty.example")
		return k.Empty("plot", k.T("empty.waiting"), k.T("empty.waiting_text", example),
			actions(k.Button(kit.Quiet, "copy", k.T("empty.copy_example"), "", func() { a.export.CopyText(example, k.T("what.example")) }), demo)...)
	}
}

// subfolders returns the folders in the open one that have pictures, the largest first.
func (c *galleryPage) subfolders() []folders.Subfolder {
	all := slices.DeleteFunc(slices.Clone(c.s.a.cfg.Library.Subfolders()), func(x folders.Subfolder) bool { return x.Pictures == 0 })
	slices.SortStableFunc(all, func(x, y folders.Subfolder) int { return cmp.Compare(y.Pictures, x.Pictures) })
	return all
}

// mostOffered is how many subfolders the text for a folder without pictures offers.
const mostOffered = 3

// makeEmptyDirectory says that a folder on disk has no pictures, and where some are.
func (c *galleryPage) makeEmptyDirectory(n *state.Snapshot) fyne.CanvasObject {
	k, a := c.s.k, c.s.a
	subs := c.subfolders()
	if len(subs) == 0 {
		return k.Empty("image", k.T("empty.directory"), k.T("empty.directory_text"),
			k.Button(kit.Quiet, "gallery", k.T("sidebar.all"), "", func() { a.navigate.OpenAll("", 0) }))
	}
	pictures, more := 0, false
	var buttons []fyne.CanvasObject
	for i, x := range subs {
		pictures, more = pictures+x.Pictures, more || x.More
		if path := filepath.Join(n.Folder.ID, x.Name); i < mostOffered {
			text := kit.Shorten(x.Name, 160, theme.TextBody, fyne.TextStyle{}) + " · " + x.Count()
			buttons = append(buttons, k.Button(kit.Quiet, "folder", text, path, func() { a.folders.Open(path) }))
		}
	}
	if !n.Settings.Folders.Deep(n.Folder.ID) {
		buttons = append(buttons, k.Button(kit.Primary, "", k.T("folders.deep_all"), "", a.folders.ToggleDeep))
	}
	text := k.Tr.N("empty.directory_subs", pictures)
	if more {
		text = k.T("empty.directory_more", pictures)
	}
	return k.Empty("image", k.T("empty.directory"), text, container.NewVBox(buttons...))
}

// filterText describes the filters in words.
func filterText(k *kit.Kit, n *state.Snapshot) string {
	var parts []string
	if n.Query.Text != "" {
		parts = append(parts, "“"+n.Query.Text+"”")
	}
	if n.Query.Findings {
		parts = append(parts, k.T("filter.findings"))
	}
	if rated(n) {
		parts = append(parts, k.T("filter.stars", opSign(n.Query.RatingOp), n.Query.Rating))
	}
	for _, t := range n.Query.Tags {
		parts = append(parts, "#"+t)
	}
	return strings.Join(parts, " · ")
}

func opSign(op string) string {
	switch op {
	case ">=":
		return "≥"
	case "<=":
		return "≤"
	default:
		return "="
	}
}

// demo draws a short session.
func (c *galleryPage) demo() {
	a := c.s.a
	a.say(kit.MarkBusy, a.kit().T("flash.demo"))
	a.requests.Background("demo", a.cfg.Demo, nil)
}
