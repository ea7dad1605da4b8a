package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// projectFile has the addresses of the project. Another one is for tests.
var projectFile = "packaging/project.env"

// A project is where Easel is published.
type project struct {
	repository string // its address, https://github.com/OWNER/easel
	pypi       string // its name on PyPI
}

// readProject reads projectFile.
func readProject() (project, error) {
	text, err := os.ReadFile(projectFile)
	if err != nil {
		return project{}, err
	}
	lines := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			lines[name] = value
		}
	}
	p := project{repository: lines["REPOSITORY"], pypi: lines["PYPI_NAME"]}
	if !regexp.MustCompile(`^https://github\.com/[A-Za-z0-9-]+/[A-Za-z0-9._-]+$`).MatchString(p.repository) || p.pypi == "" {
		return project{}, fmt.Errorf("%s: REPOSITORY must be https://github.com/OWNER/NAME, and PYPI_NAME a name", projectFile)
	}
	return p, nil
}

// owner returns the account that the repository belongs to.
func (p project) owner() string { return strings.Split(p.repository, "/")[3] }

// values returns what `gen fill` replaces: for @NAME@ in a template, the value of NAME.
func (p project) values(version string) map[string]string {
	pages := strings.Replace(p.repository, "https://github.com/", "https://raw.githubusercontent.com/", 1)
	return map[string]string{
		"VERSION":        version,
		"PYTHON_VERSION": pythonVersion(version),
		"OWNER":          p.owner(),
		"REPOSITORY":     p.repository,
		"DOCS":           p.repository + "/blob/main/docs",
		"PRIVACY":        p.repository + "/blob/main/docs/privacy.md",
		"SUPPORT":        p.repository + "/issues",
		"DOWNLOADS":      p.repository + "/releases/download/v" + version,
		"ICON":           pages + "/main/assets/easel-512.png",
		"PYPI_NAME":      p.pypi,
		"MCP_NAME":       "io.github." + p.owner() + "/easel", // the MCP registry gives io.github.X to the account X
		"IMAGE":          "ghcr.io/" + strings.ToLower(p.owner()) + "/easel",
		"APT":            "https://" + strings.ToLower(p.owner()) + ".github.io/easel/apt", // GitHub Pages
	}
}

var released = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$`)

// releases returns the releases of the changelog, newest first, as AppStream writes them, with a version
// that is none of them before.
func releases(changelog, version string, at time.Time) string {
	var lines []string
	if strings.Contains(version, "-") {
		lines = append(lines, fmt.Sprintf(`    <release version="%s" date="%s" type="development"/>`, strings.Replace(version, "-", "~", 1), at.Format(time.DateOnly)))
	}
	for _, m := range released.FindAllStringSubmatch(changelog, -1) {
		lines = append(lines, fmt.Sprintf(`    <release version="%s" date="%s"/>`, m[1], m[2]))
	}
	return strings.Join(lines, "\n")
}

var placeholder = regexp.MustCompile(`@[A-Z][A-Z0-9_]*@`)

// fill replaces each @NAME@ of a template.
func fill(template string, values map[string]string) (string, error) {
	var unknown []error
	text := placeholder.ReplaceAllStringFunc(template, func(name string) string {
		value, ok := values[strings.Trim(name, "@")]
		if !ok {
			unknown = append(unknown, fmt.Errorf("no value for %s", name))
		}
		return value
	})
	return text, errors.Join(unknown...)
}

// fillFile returns a template with the project's addresses, the version and further values, each
// NAME=VALUE.
func fillFile(path string, more []string) ([]byte, error) {
	p, err := readProject()
	if err != nil {
		return nil, err
	}
	values := p.values(os.Getenv("VERSION"))
	changelog, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return nil, err
	}
	values["RELEASES"] = releases(string(changelog), values["VERSION"], stamp())
	for _, m := range more {
		name, value, _ := strings.Cut(m, "=")
		values[name] = value
	}
	template, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text, err := fill(string(template), values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return []byte(text), nil
}
