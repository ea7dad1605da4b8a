package managed

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// markerTokens splits an environment marker of requirements.txt into its tokens.
var markerTokens = regexp.MustCompile(`\(|\)|'[^']*'|[a-z_]+|[<>=!]=?`)

// applies evaluates an environment marker, such as "python_full_version < '3.11' and os_name ==
// 'nt'", for an interpreter. It supports what uv writes: comparisons of a variable with a
// quoted value, and, or, and parentheses. The empty marker always applies.
func (p Interpreter) applies(marker string) (bool, error) {
	if marker == "" {
		return true, nil
	}
	m := markers{p: p, rest: markerTokens.FindAllString(marker, -1)}
	v := m.or()
	if m.err == nil && len(m.rest) > 0 {
		m.err = fmt.Errorf("unexpected %q", m.rest[0])
	}
	if m.err != nil {
		return false, fmt.Errorf("marker %q: %w", marker, m.err)
	}
	return v, nil
}

// markers is a parser that evaluates.
type markers struct {
	p    Interpreter
	rest []string
	err  error
}

func (m *markers) next() string {
	if len(m.rest) == 0 {
		if m.err == nil {
			m.err = fmt.Errorf("unexpected end")
		}
		return ""
	}
	t := m.rest[0]
	m.rest = m.rest[1:]
	return t
}

func (m *markers) accept(token string) bool {
	if len(m.rest) > 0 && m.rest[0] == token {
		m.rest = m.rest[1:]
		return true
	}
	return false
}

func (m *markers) or() bool {
	v := m.and()
	for m.accept("or") {
		w := m.and()
		v = v || w
	}
	return v
}

func (m *markers) and() bool {
	v := m.comparison()
	for m.accept("and") {
		w := m.comparison()
		v = v && w
	}
	return v
}

func (m *markers) comparison() bool {
	if m.accept("(") {
		v := m.or()
		if !m.accept(")") && m.err == nil {
			m.err = fmt.Errorf("missing )")
		}
		return v
	}
	name, op, value := m.next(), m.next(), strings.Trim(m.next(), "'")
	if name == "python_full_version" || name == "python_version" {
		return m.version(op, value)
	}
	have, ok := m.p.variable(name)
	switch {
	case m.err != nil:
	case !ok:
		m.err = fmt.Errorf("unknown variable %q", name)
	case op == "==":
		return have == value
	case op == "!=":
		return have != value
	default:
		m.err = fmt.Errorf("unknown operator %q", op)
	}
	return false
}

// variable returns the value of a marker's variable.
func (p Interpreter) variable(name string) (value string, ok bool) {
	system, _, _ := strings.Cut(p.Platform, "-")
	system = cmp.Or(system, runtime.GOOS)
	switch name {
	case "sys_platform":
		switch system {
		case "win", "windows":
			return "win32", true
		case "macosx":
			return "darwin", true
		}
		return system, true
	case "os_name":
		if system == "win" || system == "windows" {
			return "nt", true
		}
		return "posix", true
	case "implementation_name":
		return p.Name, true
	case "platform_python_implementation":
		return map[string]string{"cpython": "CPython", "pypy": "PyPy"}[p.Name], true
	}
	return "", false
}

// version compares the interpreter's version with one such as "3.11", "3.11.5" or "3.11.*".
func (m *markers) version(op, value string) bool {
	prefix, wild := strings.CutSuffix(value, ".*")
	want := strings.Split(prefix, ".")
	diff := 0
	for i, have := range m.p.Version {
		n := 0
		if i < len(want) {
			var err error
			if n, err = strconv.Atoi(want[i]); err != nil {
				m.err = fmt.Errorf("version %q: %w", value, err)
				return false
			}
		} else if wild {
			break
		}
		if diff = have - n; diff != 0 {
			break
		}
	}
	switch op {
	case "==":
		return diff == 0
	case "!=":
		return diff != 0
	case "<":
		return diff < 0
	case "<=":
		return diff <= 0
	case ">":
		return diff > 0
	case ">=":
		return diff >= 0
	}
	m.err = fmt.Errorf("unknown operator %q", op)
	return false
}
