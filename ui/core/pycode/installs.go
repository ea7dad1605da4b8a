package pycode

import (
	"regexp"
	"strings"
)

// An Install is a line that installs packages, or removes some.
type Install struct {
	Line int // from 1, in the cell
	What string
}

// installer matches commands that change what is installed. Before the name may be a path,
// python -m, or sudo.
var installer = regexp.MustCompile(`^(?:sudo\s+)?(?:(?:\S*[/\\])?(?:python[\d.]*(?:\.exe)?|py|\$?\{?sys\.executable\}?)\s+-m\s+)?(?:\S*[/\\])?(?:` +
	`pip[\d.]*\s+(?:-\S+\s+)*(?:install|uninstall)|` +
	`uv\s+(?:-\S+\s+)*(?:add|remove|sync|lock|pip\s+(?:install|uninstall|sync))|` +
	`(?:conda|mamba|micromamba)\s+(?:env\s+)?(?:install|remove|uninstall|update|upgrade|create)|` +
	`(?:poetry|pdm|pixi|pipenv|rye)\s+(?:add|remove|install|uninstall|update|upgrade|sync|lock)|` +
	`easy_install)\b`)

// LeaveOutInstalls returns a cell's code without the lines that install packages by a magic or by a
// program that IPython starts, such as %pip install or !uv add. Other lines keep their numbers.
func LeaveOutInstalls(code string) (rest string, left []Install) {
	if trimmed := strings.TrimLeft(code, " \t\n"); strings.HasPrefix(trimmed, "%%") {
		return leaveOutOfMagic(code, strings.Count(code[:len(code)-len(trimmed)], "\n"))
	}
	var out strings.Builder
	from := 0
	for _, m := range scan(code).magics {
		if m.at < from || !installer.MatchString(strings.TrimSpace(strings.TrimLeft(m.text, "%!"))) {
			continue
		}
		end := m.at + len(m.text)
		for end < len(code) && strings.HasSuffix(code[:end], `\`) { // it goes on
			next, _, _ := strings.Cut(code[end+1:], "\n")
			end += 1 + len(next)
		}
		left = append(left, Install{1 + strings.Count(code[:m.at], "\n"), strings.TrimSpace(m.text)})
		out.WriteString(code[from:m.at] + "pass" + strings.Repeat("\n", strings.Count(code[m.at:end], "\n")))
		from = end
	}
	return out.String() + code[from:], left
}

// script matches the magics whose cell is a script of a shell, and around those whose cell is Python.
var (
	script = regexp.MustCompile(`^%%(?:bash|sh|script|cmd|system|sx|!)`)
	around = regexp.MustCompile(`^%%(?:time|timeit|capture|prun)\b`)
)

// leaveOutOfMagic is LeaveOutInstalls for a cell whose magic is in the line with this index.
func leaveOutOfMagic(code string, at int) (rest string, left []Install) {
	lines := strings.Split(code, "\n")
	switch head := strings.TrimSpace(lines[at]); {
	case installer.MatchString(strings.TrimLeft(head, "%!")): // %%pip install …
		return strings.Repeat("\n", at) + "pass", []Install{{at + 1, head}}
	case around.MatchString(head) && at+1 < len(lines):
		body, left := LeaveOutInstalls(strings.Join(lines[at+1:], "\n"))
		for i := range left {
			left[i].Line += at + 1
		}
		return strings.Join(append(lines[:at+1:at+1], body), "\n"), left
	case script.MatchString(head):
		for i := at + 1; i < len(lines); i++ {
			if line := strings.TrimSpace(lines[i]); installer.MatchString(line) {
				left = append(left, Install{i + 1, line})
				lines[i] = ":"
			}
		}
	}
	return strings.Join(lines, "\n"), left
}
