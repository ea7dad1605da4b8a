package edits

import (
	"cmp"
	"strings"

	"easel/internal/truncate"
	"easel/ui/core/command"
	"easel/ui/window/kit"
)

// ChangeText describes a change by an assistant; "" if no message is needed.
func ChangeText(k *kit.Kit, d command.Edit) string {
	client := d.Client
	client = cmp.Or(client, k.T("change.somebody"))
	plots := k.Tr.N("gallery.count", d.Images)
	switch d.Tool {
	case "set_rating":
		return k.T("change.set_rating", client, k.Tr.N("menu.stars", d.Rating), plots)
	case "set_tags":
		if len(d.Added) == 0 {
			return k.T("change.untagged", client, plots, strings.Join(d.Removed, ", "))
		}
		return k.T("change.tagged", client, plots, strings.Join(d.Added, ", "))
	case "select_file", "show_image_viewer", "navigate_image", "close_image_viewer":
		return ""
	}
	if key := "change." + d.Tool; k.Tr.Has(key) {
		return k.T(key, client)
	}
	return k.T("change.other", client)
}

// DoneText says what the user has just done; "" if no message is needed: a single plot shows
// its stars and tags, and the field of a text has its own message.
func DoneText(k *kit.Kit, d command.Edit) string {
	switch d.Tool {
	case string(command.FateTrash):
		return k.Tr.N("trash.moved", d.Images)
	case string(command.FateRestore):
		return k.Tr.N("trash.restored", d.Images)
	case "set_title", "set_note":
		return ""
	}
	plots := k.Tr.N("gallery.count", d.Images)
	switch {
	case d.Images < 2:
		return ""
	case d.Tool == "set_rating" && d.Rating == 0:
		return k.T("done.no_stars", plots)
	case d.Tool == "set_tags" && len(d.Added) > 0:
		return k.T("done.tags", listed(d.Added), plots)
	case d.Tool == "set_tags":
		return k.T("done.no_tags", listed(d.Removed), plots)
	default:
		return EditText(k, d)
	}
}

// mostName is the number of characters of a name that a menu or message shows.
const mostName = 40

func listed(tags []string) string { return truncate.Runes(strings.Join(tags, ", "), mostName) }

// EditText names a change, to follow "Undo": for example 3 stars on 231 plots.
func EditText(k *kit.Kit, d command.Edit) string {
	plots := k.Tr.N("gallery.count", d.Images)
	if d.Images == 1 && d.Title != "" {
		plots = k.T("edit.plot", truncate.Runes(d.Title, mostName))
	}
	text := ""
	switch d.Tool {
	case "set_rating":
		text = k.T("edit.stars", k.Tr.N("menu.stars", d.Rating), plots)
		if d.Rating == 0 {
			text = k.T("edit.no_stars", plots)
		}
	case "set_tags":
		text = k.T("edit.tags", listed(d.Added), plots)
		if len(d.Added) == 0 {
			text = k.T("edit.no_tags", listed(d.Removed), plots)
		}
	case "set_title":
		text = k.T("edit.title", plots)
	case "set_note":
		text = k.T("edit.note", plots)
	case command.JudgeFinding.Name():
		text = k.T("edit.judged", plots)
	case string(command.FateTrash):
		text = k.T("edit.trash", plots)
	case string(command.FateRestore):
		text = k.T("edit.restore", plots)
	default:
		if text = ChangeText(k, d); text == "" {
			text = k.T("change.other", d.Client)
		}
		return text
	}
	if d.Client != "" {
		text = k.T("edit.by", text, d.Client)
	}
	return text
}
