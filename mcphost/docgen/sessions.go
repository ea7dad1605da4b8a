package main

// notebookPaths documents which notebook paths the tools accept.
const notebookPaths = `
## Notebook paths

A path names a notebook below the server's root. ` + "`/a.ipynb`, `./a.ipynb`, `x/../a.ipynb` and `a.ipynb`" + ` are the same notebook, in any
Unicode normalisation. The following is a VALIDATION_ERROR, and nothing is written:

- a blank path, the root folder, a path that leaves the root or contains a NUL character
- a name that does not end in ` + "`.ipynb`" + ` (lower case), or consists only of it
- a file or folder of such a name that is not a notebook, or a path that goes through a file
- a name over 255 bytes (about 85 Japanese characters), the limit of file systems. Jupyter writes notebooks only with names
  of up to 244 bytes, because the name of the checkpoint is longer

` + "In `session_create` an empty `notebook_path` counts as missing: the session has no notebook. In `session_connect` an empty\n`notebook_path` or `kernel_id` counts as missing too. A path that consists of spaces is refused in both.\n"

// executionStatus documents the status of an execution.
const executionStatus = `
## The status of an execution

` + "`queued`, `awaiting_approval` and `running`" + ` are open. ` + "`ok`, `error`, `interrupted`, `cancelled`, `timeout`, `kernel_died` and `lost`" + `
are final: they never change. Only late output, for example from a thread, is still added.

While it is not known whether the code still runs, its status stays ` + "`running`" + ` and ` + "`hint`" + ` says why:

- Easel ended (even by kill −9) and was started again. It looks for the kernel and for what its Jupyter server has kept. Then the
  execution continues, or gets its actual end. It is ` + "`lost`" + ` if its end can no longer be determined, and ` + "`kernel_died`" + ` if the kernel is
  now another process.
- The Jupyter server cannot be reached. After 10 minutes without an answer the execution is ` + "`lost`" + `. Code that waits in the queue
  is ` + "`lost`" + ` after 2 minutes. It was not run, and the message says so.

` + "`execution_time_ms`" + ` is the time that the kernel took. If Easel was not connected at the end, it uses the end time that the kernel reports
by its own clock, or the kernel's last known activity. Time when Easel was not running is not included.
A ` + "`hint`" + ` names the tool to call next.
`

const unusedSessions = `
## Unused sessions

Easel ends a session that it started when nobody has used it for some hours (setting ` + "`unused_hours`" + `: 4 by default, 0 for
never). Running code counts as use, and so does every call that names the session and everything that the user does with it in
the window or in another client. Easel does not end a session:

- in which code runs, waits in the queue or waits for approval
- that the user has pinned
- that has a notebook: one of its own, or one in JupyterLab that uses its kernel. A kernel to which another program is
  connected also counts as open
- whose client is still connected: it has a stream or a call open, had an MCP session within the last hour,
  or called within the last 15 minutes without having a session (REST, stateless MCP)

The next call to the session is a ` + "KERNEL_NOT_FOUND" + ` (` + "SESSION_NOT_FOUND" + ` from ` + "`session_connect`" + `) that says when and why it was ended, and
lists the names, types and sizes of the variables that it had. Its images are kept. ` + "`session_create`" + ` returns ` + "`idle_sessions`" + ` if the
caller has other idle sessions: at most three, with the minutes since their last use.
`
