package managed

// ProcessStart returns when a process began, as a text that is different for another process with the
// same id. It is "" if there is no such process.
func ProcessStart(pid int) string { return processStart(pid) }
