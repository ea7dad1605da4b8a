package programs

import (
	"net/url"
	"os/exec"
	"slices"
	"strings"
)

// An entry is a desktop entry.
type entry struct {
	path   string
	values map[string]string
	exec   []string // the words of its command; nil if it has none
	mimes  []string
	dir    string // where the command runs
}

func readEntry(path string) entry {
	values := readGroups(path)["Desktop Entry"]
	e := entry{path: path, values: values, mimes: split(values["MimeType"]), dir: unescape(values["Path"])}
	e.exec = words(unescape(values["Exec"]))
	return e
}

// opens reports whether the program is installed and can be started without a terminal.
func (e entry) opens() bool {
	if e.values["Type"] != "Application" || e.yes("Hidden") || e.yes("Terminal") || len(e.exec) == 0 {
		return false
	}
	for _, program := range []string{unescape(e.values["TryExec"]), e.exec[0]} {
		if program == "" {
			continue
		}
		if _, err := exec.LookPath(program); err != nil {
			return false
		}
	}
	return true
}

// listed reports whether menus of the current desktop show the program.
func (e entry) listed() bool {
	if e.yes("NoDisplay") {
		return false
	}
	here := func(d string) bool { return slices.Contains(desktops(), d) }
	if only, ok := e.values["OnlyShowIn"]; ok && !slices.ContainsFunc(split(only), here) {
		return false
	}
	return !slices.ContainsFunc(split(e.values["NotShowIn"]), here)
}

// takesFiles reports whether the command has a place for a file.
func (e entry) takesFiles() bool {
	return slices.ContainsFunc(e.exec, func(w string) bool {
		return strings.Contains(w, "%f") || strings.Contains(w, "%F") || strings.Contains(w, "%u") || strings.Contains(w, "%U")
	})
}

func (e entry) yes(key string) bool { return e.values[key] == "true" }

// name returns the program's name in a language such as "ja".
func (e entry) name(lang string) string {
	if name := e.values["Name["+lang+"]"]; name != "" {
		return unescape(name)
	}
	if name := e.values["Name"]; name != "" {
		return unescape(name)
	}
	return e.exec[0]
}

// expand returns the words of the command for a file.
func (e entry) expand(name, file string) []string {
	address := url.URL{Scheme: "file", Path: file}
	used := false
	var all []string
	for _, w := range e.exec {
		switch w {
		case "%i":
			if icon := unescape(e.values["Icon"]); icon != "" {
				all = append(all, "--icon", icon)
			}
			continue
		case "%d", "%D", "%n", "%N", "%v", "%m": // obsolete
			continue
		}
		var b strings.Builder
		for i := 0; i < len(w); i++ {
			if w[i] != '%' || i+1 == len(w) {
				b.WriteByte(w[i])
				continue
			}
			i++
			switch w[i] {
			case '%':
				b.WriteByte('%')
			case 'f', 'F':
				used = true
				b.WriteString(file)
			case 'u', 'U':
				used = true
				b.WriteString(address.String())
			case 'c':
				b.WriteString(name)
			case 'k':
				b.WriteString(e.path)
			}
		}
		all = append(all, b.String())
	}
	if !used {
		all = append(all, file)
	}
	return all
}

// words splits a command. Words may be in double quotes, in which a backslash escapes a
// character. It returns nil for a quote that does not end.
func words(command string) []string {
	var all []string
	var b strings.Builder
	quoted, begun := false, false
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case c == '\\' && quoted && i+1 < len(command):
			i++
			b.WriteByte(command[i])
		case c == '"':
			quoted, begun = !quoted, true
		case (c == ' ' || c == '\t') && !quoted:
			if begun {
				all = append(all, b.String())
			}
			b.Reset()
			begun = false
		default:
			b.WriteByte(c)
			begun = true
		}
	}
	if quoted {
		return nil
	}
	if begun {
		all = append(all, b.String())
	}
	return all
}

// unescape resolves the escapes of a value.
func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\s`, " ", `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(s)
}
