package notebooks

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"easel/mcphost/catalog"
)

// metadataKey is what Easel's metadata is called in a notebook.
const metadataKey = "easel"

// SetEnvironment says in a new notebook in which environments its code ran: in its metadata, and for
// Python in a cell of comments after the first cell, from which a person or a tool can install the packages.
func (n *Notebook) SetEnvironment(envs ...catalog.Environment) {
	meta := object{}
	if json.Unmarshal(n.fields["metadata"], &meta) != nil {
		return
	}
	envs = slices.Clone(envs)
	for i, env := range envs {
		envs[i] = env.Portable()
	}
	about := map[string]any{"environment": envs[0]}
	if len(envs) > 1 {
		about["others"] = envs[1:]
	}
	meta.put(metadataKey, about)
	n.fields.put("metadata", meta)
	if text := requirements(envs...); text != "" {
		n.Insert(min(1, len(n.Cells)), Code, text)
	}
}

var (
	// index matches versions of packages that an index may have. The part after + is of one computer.
	index = regexp.MustCompile(`^[0-9][0-9A-Za-z.!_-]*(?:\+[0-9A-Za-z.-]*)?$`)
	// installable matches names of packages. A directory's name may contain what a shell would run.
	installable = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$`)
	// plainURL matches URLs without what a shell would run in double quotes.
	plainURL = regexp.MustCompile(`^[0-9A-Za-z:/?#@!&'()*+,;=._~%-]+$`)
	minor    = regexp.MustCompile(`^[0-9]+\.[0-9]+`)
)

// dependencies returns the requirements of the packages that code imported, and those packages that are only in
// a folder. The first environment that has a package says its version.
func dependencies(envs []catalog.Environment) (needs, local []string) {
	seen := make(map[string]bool)
	for _, env := range envs {
		for _, p := range env.Imported() {
			if seen[p.Name] || !installable.MatchString(p.Name) {
				continue
			}
			seen[p.Name] = true
			public, _, _ := strings.Cut(p.Version, "+")
			switch {
			case strings.HasPrefix(p.Source, "file:"):
				local = append(local, oneLine(p.String()))
			case plainURL.MatchString(p.Source):
				needs = append(needs, p.Name+" @ "+p.Source)
			case index.MatchString(p.Version) && p.Source == "":
				needs = append(needs, p.Name+"=="+public)
			default:
				needs = append(needs, p.Name)
			}
		}
	}
	return needs, local
}

// requirements returns comments with a block of inline script metadata (PEP 723), which uv, juv and marimo
// read, and a command for everybody else. It is that of one kernel, the first environment's.
func requirements(envs ...catalog.Environment) string {
	if !strings.EqualFold(envs[0].Language, "python") {
		return ""
	}
	needs, local := dependencies(envs)
	if len(needs) == 0 {
		return ""
	}
	var b strings.Builder
	var drawn []string
	for _, env := range envs {
		if line := oneLine(env.String()); !slices.Contains(drawn, line) {
			drawn = append(drawn, line)
			fmt.Fprintf(&b, "# Drawn with: %s\n", line)
		}
	}
	for _, p := range local {
		fmt.Fprintf(&b, "# Also %s, which was installed from a folder\n", p)
	}
	b.WriteString("# /// script\n")
	if v := minor.FindString(envs[0].Version); v != "" {
		fmt.Fprintf(&b, "# requires-python = \">=%s\"\n", v)
	}
	b.WriteString("# dependencies = [\n")
	quoted := make([]string, len(needs))
	for i, need := range needs {
		quoted[i] = `"` + need + `"` // in TOML and in a shell: it has nothing that either of them would change
		fmt.Fprintf(&b, "#     %s,\n", quoted[i])
	}
	b.WriteString("# ]\n# ///\n# To install them in this kernel, run this line without #; in a project, use uv add:\n")
	fmt.Fprintf(&b, "# %%pip install %s", strings.Join(quoted, " "))
	return b.String()
}

// oneLine keeps a text in one line of a comment. Python reads no code with NUL, and characters that change
// the direction of text would make the comment look like something else.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
}
