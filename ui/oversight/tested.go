package oversight

import (
	"strings"

	"easel/mcphost/catalog"
)

// testedWith are the versions in which clients of textOnly were seen to need links.
var testedWith = map[string]string{"cline": "3.0.65", "copilot-cli": "1.0.102", "github copilot cli": "1.0.102"}

// Tested is the form in which a client's model was seen to get pictures, and with which
// version; ok is false if nobody has tested a client of this name.
func Tested(client string) (mode, version string, ok bool) {
	client = strings.ToLower(client)
	for _, t := range textOnly {
		if strings.Contains(client, t) {
			return catalog.ImagesLink, testedWith[t], true
		}
	}
	return "", "", false
}
