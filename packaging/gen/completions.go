package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeCompletions writes the completions of bash, zsh and fish to a directory.
func writeCompletions(dir string, h help) error {
	for name, text := range map[string]string{"easel.bash": bash(h), "_easel": zsh(h), "easel.fish": fish(h)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil { //nolint:gosec // it is published
			return err
		}
	}
	return nil
}

// commands returns the named commands.
func (h help) named() []item {
	return slices.DeleteFunc(slices.Clone(h.commands), func(c item) bool { return strings.HasPrefix(c.name, "(") })
}

// values returns the words that complete a flag's argument, "DIR" for a directory, or "".
func (f item) values() string {
	switch {
	case f.argument == "DIR":
		return "DIR"
	case f.argument == "LEVEL":
		return "debug info warn error"
	case strings.Contains(f.argument, "|"):
		return strings.ReplaceAll(f.argument, "|", " ")
	}
	return ""
}

func names(items []item) string {
	var all []string
	for _, i := range items {
		all = append(all, i.name)
	}
	return strings.Join(all, " ")
}

func bash(h help) string {
	var cases strings.Builder
	for _, f := range h.flags {
		switch v := f.values(); {
		case f.argument == "":
		case v == "DIR":
			fmt.Fprintf(&cases, "\t%s) compopt -o dirnames; return ;;\n", f.name)
		default:
			fmt.Fprintf(&cases, "\t%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", f.name, v)
		}
	}
	return fmt.Sprintf(`# Completions of easel for bash.
_easel() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	case $before in
%s	esac
	if ((COMP_CWORD == 1)) && [[ $word != -* ]]; then
		COMPREPLY=($(compgen -W '%s' -- "$word"))
	else
		COMPREPLY=($(compgen -W '%s' -- "$word"))
	fi
}
complete -F _easel easel
`, cases.String(), names(h.named()), names(h.flags))
}

func zsh(h help) string {
	quote := func(s string) string {
		return strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(s)
	}
	var b strings.Builder
	b.WriteString("#compdef easel\n# Completions of easel for zsh.\nlocal -a commands\ncommands=(\n")
	for _, c := range h.named() {
		fmt.Fprintf(&b, "\t'%s:%s'\n", c.name, quote(c.text))
	}
	b.WriteString(")\n_arguments \\\n\t'1:command:{_describe command commands}' \\\n")
	for i, f := range h.flags {
		value := ""
		switch v := f.values(); {
		case f.argument == "":
		case v == "DIR":
			value = ":directory:_files -/"
		default:
			value = ":value:(" + v + ")"
		}
		end := " \\\n"
		if i == len(h.flags)-1 {
			end = "\n"
		}
		fmt.Fprintf(&b, "\t'%s[%s]%s'%s", f.name, quote(f.text), value, end)
	}
	return b.String()
}

func fish(h help) string {
	quote := func(s string) string { return strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) }
	var b strings.Builder
	b.WriteString("# Completions of easel for fish.\ncomplete -c easel -f\n")
	for _, c := range h.named() {
		fmt.Fprintf(&b, "complete -c easel -n __fish_use_subcommand -a %s -d '%s'\n", c.name, quote(c.text))
	}
	for _, f := range h.flags {
		value := ""
		switch v := f.values(); {
		case f.argument == "":
		case v == "DIR":
			value = " -x -a '(__fish_complete_directories)'"
		default:
			value = fmt.Sprintf(" -x -a '%s'", v)
		}
		fmt.Fprintf(&b, "complete -c easel -l %s%s -d '%s'\n", strings.TrimPrefix(f.name, "--"), value, quote(f.text))
	}
	return b.String()
}
