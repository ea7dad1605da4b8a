package desktop

import (
	"encoding/xml"
	"strings"
)

// launchAgent returns the property list that makes launchd start a program at login. It is
// compiled on all systems, so that it is tested on all.
func launchAgent(id, exe string, args ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	`)
	element := func(text string) {
		b.WriteString("<string>")
		_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
		b.WriteString("</string>\n")
	}
	element(id)
	b.WriteString("\t<key>ProgramArguments</key>\n\t<array>\n")
	for _, a := range append([]string{exe}, args...) {
		b.WriteString("\t\t")
		element(a)
	}
	b.WriteString("\t</array>\n\t<key>RunAtLoad</key>\n\t<true/>\n\t<key>ProcessType</key>\n\t<string>Interactive</string>\n</dict>\n</plist>\n")
	return b.String()
}
