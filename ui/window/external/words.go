package external

import (
	"easel/ui/core/interactive"
	"easel/ui/window/i18n"
)

// Words returns the texts of the pages of figures, which the browser shows, in a language of
// the settings.
func Words(lang string) interactive.Words {
	tr := i18n.New(lang)
	return interactive.Words{
		Lang: tr.Lang(), Untitled: tr.T("page.untitled"), Origin: tr.T("page.origin"), Blocked: tr.T("page.blocked"),
		Missing: tr.T("page.missing"), Start: tr.T("page.start"), Failed: tr.T("page.failed"), Used: tr.T("page.used"), Again: tr.T("page.again"),
	}
}
