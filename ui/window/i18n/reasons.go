package i18n

import "easel/mcphost/catalog"

// Reason says a reason in the language. If it has no text for the kind, that is in English.
func (c *Catalog) Reason(r catalog.Reason) string {
	switch key := "why." + r.Kind; {
	case !c.Has(key):
		return r.Text
	case r.Detail == "":
		return c.T(key)
	default:
		return c.T(key, r.Detail)
	}
}
