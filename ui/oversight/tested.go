package oversight

import (
	"strings"

	"easel/mcphost/catalog"
)

// Tested is the form in which a client's model was seen to get pictures, and with which
// version; ok is false if nobody has tested a client of this name.
func Tested(client string) (mode, version string, ok bool) {
	client = strings.ToLower(client)
	for _, t := range textOnly {
		if strings.Contains(client, t) {
			return catalog.ImagesLink, "", true
		}
	}
	return "", "", false
}
