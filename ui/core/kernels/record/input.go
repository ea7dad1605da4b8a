package record

import (
	"regexp"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/mimebundle"
)

// noInput is the exception of ipykernel for input() if the client does not support it.
const noInput = "StdinNotImplementedError"

// causeInput ends code whose kernel asks for input although our requests do not allow it. R's does, and waits
// for an answer forever.
var causeInput = cause{
	catalog.StatusError, catalog.CodeExecution, "Input is not available here: assign the value in the code instead. What the code printed and drew before is kept.", "", "",
}

// inputError returns the error for code that asked for input. It leaves out ipykernel's
// message and frames, which do not help a model.
func inputError(value string, traceback []string) *catalog.ExecutionError {
	message := "input() is not available here: assign the value in the code instead."
	if strings.HasPrefix(value, "getpass") {
		message = "getpass() is not available here: read the secret from a file or an environment variable instead."
	}
	return &catalog.ExecutionError{
		Code: catalog.CodeExecution, Type: noInput, Message: message, Traceback: strings.Join(userFrames(traceback), "\n\n"),
	}
}

// frame matches the start of a frame in IPython's traceback. installed matches the start of
// a frame in a library.
var (
	frame     = regexp.MustCompile(`^(?:Cell|Input) In ?\[|^File |^<ipython-input`)
	installed = regexp.MustCompile(`^File .*[/\\](?:site-packages|dist-packages|lib[/\\]python[0-9.]+|ipykernel)[/\\]`)
)

// userFrames returns the frames of a traceback that are in the user's own code.
func userFrames(traceback []string) (frames []string) {
	for _, entry := range traceback {
		entry = strings.TrimSpace(mimebundle.Plain(entry))
		if frame.MatchString(entry) && !installed.MatchString(entry) {
			frames = append(frames, entry)
		}
	}
	return frames
}
