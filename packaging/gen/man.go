package main

import (
	"fmt"
	"strings"
	"time"
)

// manPage returns the manual page easel(1).
func manPage(h help, at time.Time) []byte {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say(`.TH EASEL 1 "%s" "Easel" "User Commands"`, at.Format(time.DateOnly))
	say(".SH NAME\neasel \\- shows the plots that AI assistants draw in Jupyter kernels")
	say(".SH SYNOPSIS\n.B easel\n.RI [ command ]\n.RI [ flags ]")
	say(".SH DESCRIPTION\n%s", roff(h.summary))
	say(".PP\n%s", roff(h.notes))
	say(".SH COMMANDS")
	for _, c := range h.commands {
		say(".TP\n.B %s\n%s", roff(c.name), roff(c.text))
	}
	say(".SH FLAGS")
	for _, f := range h.flags {
		say(".TP\n.BI %s \" %s\"\n%s", roff(f.name), roff(f.argument), roff(f.text))
		if f.variable != "" {
			say("Environment variable:\n.BR %s .", roff(f.variable))
		}
	}
	say(".SH FILES\n.TP\n.I ~/.local/share/easel\nThe data directory: plots, settings, the token, logs and the Python environment.\n.B easel uninstall\nlists all files.")
	say(".SH EXIT STATUS\n.TP\n.B 0\nSuccess.\n.TP\n.B 1\nAn error, which is printed. With\n.BR doctor ,\nsomething has to be fixed.\n.TP\n.B 2\nThe command line is invalid.")
	return []byte(b.String())
}

// roff escapes a text for troff.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
