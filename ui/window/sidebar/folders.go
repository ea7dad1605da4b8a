package sidebar

import (
	"path/filepath"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
)

// FolderActions are called when the user does something with a folder on disk, as Actions are.
type FolderActions struct {
	Ask  func() // lets the user choose a folder
	Open func(path string)
	Menu func(path string, at fyne.Position)
	Deep func(path string, on bool) // shows a folder with its subfolders, or without them
}

// mostSubfolders is how many subfolders are listed at first.
const mostSubfolders = 10

// folders returns the rows of the folders on disk: those that are pinned, those that were opened, and
// what is in the open one. Without any, they are a row that opens one.
func (b *Bar) folders() (rows []row) {
	known, open := b.snap.Settings.Folders, ""
	if b.snap.Folder.Kind == state.Directory {
		open = b.snap.Folder.ID
	}
	paths := append(known.AllPinned(), known.Recent()...)
	at := holder(paths, open)
	if open != "" && at == "" { // an assistant has opened it, or the user went up
		paths, at = append([]string{open}, paths...), open
	}
	if len(paths) == 0 {
		return []row{{id: "open folder", icon: "folder", name: b.k.T("folders.open"), tip: b.k.T("folders.open_tip"), tap: b.act.Folders.Ask}}
	}
	rows = append(rows, row{name: b.k.T("sidebar.folders"), add: b.act.Folders.Ask, tip: b.k.T("folders.open_tip")})
	names := folderNames(paths)
	for _, path := range paths {
		r := b.folderRow("folder "+path, names[path], path)
		if known.Pinned(path) {
			r.icon = "pin"
		}
		if r.on = path == open; r.on {
			r.count = number(b.snap.Total)
		}
		rows = append(rows, r)
		if path == at {
			rows = append(rows, b.inFolder(path, open)...)
		}
	}
	return rows
}

// folderRow returns the row of a folder.
func (b *Bar) folderRow(id, name, path string) row {
	return row{
		id: id, icon: "folder", name: name, tip: path,
		tap:  func() { b.act.Folders.Open(path) },
		menu: func(at fyne.Position) { b.act.Folders.Menu(path, at) },
	}
}

// holder returns the longest of paths that is path or contains it, or "".
func holder(paths []string, path string) (longest string) {
	for _, x := range paths {
		rel, err := filepath.Rel(x, path)
		if path != "" && err == nil && (rel == "." || filepath.IsLocal(rel)) && len(x) > len(longest) {
			longest = x
		}
	}
	return longest
}

// inFolder returns the rows below that of a folder that is open, or in which the open one is: the open
// one, its parent and its subfolders.
func (b *Bar) inFolder(path, open string) (rows []row) {
	if rel, _ := filepath.Rel(path, open); path != open {
		r := b.folderRow("open "+open, rel, open)
		r.small, r.on, r.count = true, true, number(b.snap.Total)
		rows = append(rows, r)
	}
	if parent := filepath.Dir(open); parent != open {
		r := b.folderRow("parent "+open, b.k.T("folders.parent"), parent)
		r.small, r.icon, r.tip = true, "up", b.k.T("folders.parent_tip", parent)
		rows = append(rows, r)
	}
	all, deep := b.lib.Subfolders(), b.snap.Settings.Folders.Deep(open)
	if len(all) > 0 || deep {
		icon := "plus"
		if deep {
			icon = "check"
		}
		rows = append(rows, row{
			id: "deep " + open, small: true, icon: icon, name: b.k.T("folders.deep"), tip: b.k.T("folders.deep_tip"),
			tap: func() { b.act.Folders.Deep(open, !deep) },
		})
	}
	shown := all
	if len(shown) > mostSubfolders+1 && !b.whole["in "+open] {
		shown = shown[:mostSubfolders]
	}
	for _, sub := range shown {
		r := b.folderRow("sub "+open+"\n"+sub.Name, sub.Name, filepath.Join(open, sub.Name))
		r.small, r.count = true, sub.Count()
		rows = append(rows, r)
	}
	if more := len(all) - len(shown); more > 0 {
		rows = append(rows, row{
			id: "subs " + open, small: true, name: b.k.Tr.N("sidebar.more_folders", more),
			tap: func() { b.whole["in "+open] = true; b.draw() },
		})
	}
	return rows
}
