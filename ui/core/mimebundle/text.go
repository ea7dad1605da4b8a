package mimebundle

import "regexp"

// ansi matches the control sequences for colours and links in terminals, as in IPython's
// tracebacks (CSI and OSC of ECMA-48).
var ansi = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)")

// Plain returns a kernel's text without the control sequences for colours and links.
func Plain(s string) string { return ansi.ReplaceAllString(s, "") }
