package notebooks

import (
	"regexp"
	"strings"
)

// reasonIn matches the text of an exception in a message of jupyter-server, as Python shows it.
var reasonIn = regexp.MustCompile(`^<?\w+(?:\(|: )(?:'(.+)'|"(.+)")\)?>?$`)

// unreadable says why jupyter-server cannot read the notebook at path. The server's message has
// the file's path on its machine and a Python exception.
func unreadable(path, message string) string {
	const reading = "it is not a notebook: "
	if _, after, found := strings.Cut(message, path+" "); found {
		message = after
	}
	switch text := reasonIn.FindStringSubmatch(message); {
	case strings.HasSuffix(message, `to be JSON: ''")`):
		return reading + "its file is empty"
	case strings.HasPrefix(message, "NotJSONError"):
		return reading + "its file is not valid JSON"
	case strings.HasPrefix(message, "AttributeError"):
		return reading + "its content is not a JSON object"
	case text != nil:
		return reading + strings.TrimSuffix(text[1]+text[2], ".")
	case strings.HasPrefix(message, "is "):
		return reading + "it " + message
	default:
		return reading + message
	}
}
