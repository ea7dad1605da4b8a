package i18n

import (
	"net/url"

	"easel/mcphost/catalog"
)

// ServerReason says why a server is in its state. It is "" if there is nothing to say.
func (c *Catalog) ServerReason(h catalog.ServerHealth) string {
	key := "server.reason." + h.Reason
	if h.Reason == "" || !c.Has(key) {
		return h.Message
	}
	host := h.URL
	if u, err := url.Parse(h.URL); err == nil {
		host = u.Hostname()
	}
	return c.T(key, host)
}
