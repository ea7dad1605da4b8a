package codes

import (
	"errors"

	"easel/jupyter"
	"easel/mcphost/tool"
)

// BadPath returns the error for a bad parameter path.
func BadPath(detail string) error { return BadValue("path", detail) }

// BadValue returns the error for a bad parameter, in the form of a schema violation.
func BadValue(parameter, detail string) *tool.Error {
	return &tool.Error{
		Code: tool.Validation, Detail: "Invalid parameters: " + parameter + " " + detail + ".",
		Fields: []tool.Field{{Pointer: "#/" + parameter, Detail: detail}},
	}
}

// Path converts a jupyter.PathError to the error for a bad parameter, and returns
// other errors unchanged.
func Path(parameter string, err error) error {
	if e, ok := errors.AsType[*jupyter.PathError](err); ok {
		bad := BadValue(parameter, e.Reason)
		bad.Err = err
		return bad
	}
	return err
}

// NoContents returns the error for a server that has no files.
func NoContents(err error) error {
	return &tool.Error{
		Code: tool.Unsupported, Detail: "This Jupyter server has no files: it is a gateway, which only runs kernels.",
		Hint: "Read and write files with code in a session.", Err: err,
	}
}
