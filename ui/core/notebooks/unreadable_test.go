package notebooks

import "testing"

// The messages are those of jupyter-server 2.21.
func TestUnreadableNotebooksAreExplained(t *testing.T) {
	const unreadableNotebook = "Unreadable Notebook: /home/ann/a/b.ipynb "
	for _, c := range []struct{ message, want string }{
		{unreadableNotebook + `NotJSONError("Notebook does not appear to be JSON: ''")`, "its file is empty"},
		{unreadableNotebook + `NotJSONError('Notebook does not appear to be JSON: \'{"cells": [\'')`, "its file is not valid JSON"},
		{unreadableNotebook + `AttributeError("'list' object has no attribute 'get'")`, "its content is not a JSON object"},
		{unreadableNotebook + `NBFormatError('Unsupported nbformat version 5')`, "Unsupported nbformat version 5"},
		{unreadableNotebook + `<ValidationError: 'The notebook is invalid and is missing an expected key: cells'>`, "The notebook is invalid and is missing an expected key: cells"},
		{unreadableNotebook + `<ValidationError: "it's missing a key: cells">`, "it's missing a key: cells"},
		{"/home/ann/a/b.ipynb is not UTF-8 encoded", "it is not UTF-8 encoded"},
		{"something else", "something else"},
	} {
		if got := unreadable("a/b.ipynb", c.message); got != "it is not a notebook: "+c.want {
			t.Errorf("%s:\n%s", c.message, got)
		}
	}
}
