package main

// notebookPaths documents what the tools take for the path of a notebook.
const notebookPaths = `
## Notebook paths

A path names a notebook below the server's root. ` + "`/a.ipynb`, `./a.ipynb`, `x/../a.ipynb` and `a.ipynb`" + ` are the same notebook, in any
Unicode normalisation. The following is a VALIDATION_ERROR, and nothing is written:

- a blank path, the root folder, a path that leaves the root or contains a NUL character
- a name that does not end in ` + "`.ipynb`" + ` (lower case), or has nothing before it
- a file or folder of such a name that is not a notebook, or a path that goes through a file
- a name over 255 bytes (about 85 Japanese characters), which file systems do not take. Jupyter writes a notebook only
  up to 244 bytes, as the name of its checkpoint is longer

` + "In `session_create` an empty `notebook_path` counts as missing: the session has no notebook. In `session_connect` an empty\n`notebook_path` or `kernel_id` counts as missing too. A path that consists of spaces is refused in both.\n"
