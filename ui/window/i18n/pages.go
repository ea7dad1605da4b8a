package i18n

import (
	"easel/ui/core/interactive"
)

// PageWords returns the texts of the pages of figures, which the browser shows, in a language of
// the settings.
func PageWords(lang string) interactive.Words {
	tr := New(lang)
	return interactive.Words{
		Lang: tr.Lang(), Untitled: tr.T("page.untitled"), Origin: tr.T("page.origin"), Blocked: tr.T("page.blocked"),
		Missing: tr.T("page.missing"), Start: tr.T("page.start"), Failed: tr.T("page.failed"), Used: tr.T("page.used"), Again: tr.T("page.again"),
	}
}
