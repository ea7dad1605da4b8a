package properties

import (
	"fmt"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

// environment returns the rows about what the kernel ran in when it drew a plot: what matters first,
// and all packages and paths if the user wants them.
func (p *Panel) environment(f facts) []fyne.CanvasObject {
	k, e := p.k, f.environment
	if e == nil {
		return nil
	}
	var rows []fyne.CanvasObject
	fact := func(key, value string) {
		if value != "" {
			rows = append(rows, k.Fact(k.T(key), value, nil))
		}
	}
	fact("fact.environment", strings.TrimPrefix(e.Name+", "+e.Interpreter(), ", "))
	fact("fact.packages", list(e.Named()))
	fact("fact.commit", commit(k.Tr, *e))
	fact("fact.directory", e.Directory)
	if p.whole {
		if e.LockFile != "" {
			fact("fact.lock", filepath.Base(e.LockFile)+" "+e.LockHash[:min(8, len(e.LockHash))])
		}
		fact("fact.interpreter", e.Executable)
		fact("fact.others", list(e.Others()))
	}
	key := "properties.more"
	if p.whole {
		key = "properties.less"
	}
	more := k.Button(kit.Ghost, "", k.T(key), "", func() {
		p.whole = !p.whole
		p.redraw()
	}).Small()
	return []fyne.CanvasObject{k.Section(k.T("properties.environment"), more), kit.NewStack(0, rows...)}
}

func list(packages []catalog.Package) string {
	words := make([]string, len(packages))
	for i, p := range packages {
		words[i] = p.String()
	}
	return strings.Join(words, ", ")
}

func commit(t *i18n.Catalog, e catalog.Environment) string {
	if e.Commit == "" || e.Dirty == nil || !*e.Dirty {
		return e.Revision()
	}
	e.Dirty = nil
	return fmt.Sprintf("%s, %s", e.Revision(), t.T("environment.dirty"))
}
