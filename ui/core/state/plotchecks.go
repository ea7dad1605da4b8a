package state

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"easel/ui/core/facts/checks"
)

// maxPlotChecks is the largest number of checks that are turned off.
const maxPlotChecks = 200

// PlotChecks are the checks of plots that the user has turned off. A PlotChecks is immutable and comparable; in
// the zero value, all checks are on. It keeps names of checks that this Easel does not know.
type PlotChecks struct{ lines string } // "name\n", sorted

// On reports whether a check is on.
func (p PlotChecks) On(c checks.Check) bool { return !p.all()[string(c)] }

// With returns p with a check turned on or off.
func (p PlotChecks) With(c checks.Check, on bool) PlotChecks {
	all := p.all()
	if on {
		delete(all, string(c))
	} else if checkForm.MatchString(string(c)) {
		all[string(c)] = true
	}
	return plotChecksOf(all)
}

// Off returns the names of the checks that are turned off, sorted.
func (p PlotChecks) Off() []string { return slices.Sorted(maps.Keys(p.all())) }

var checkForm = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)

func (p PlotChecks) all() map[string]bool {
	all := make(map[string]bool)
	for name := range strings.Lines(p.lines) {
		all[strings.TrimSuffix(name, "\n")] = true
	}
	return all
}

func plotChecksOf(all map[string]bool) PlotChecks {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i == maxPlotChecks {
			break
		}
		b.WriteString(name + "\n")
	}
	return PlotChecks{b.String()}
}

// MarshalJSON encodes the checks as an object: false by name.
func (p PlotChecks) MarshalJSON() ([]byte, error) {
	off := make(map[string]bool)
	for name := range p.all() {
		off[name] = false
	}
	return json.Marshal(off)
}

// UnmarshalJSON decodes what MarshalJSON writes. It skips entries that are invalid, so that one wrong line in a
// settings file does not lose the others.
func (p *PlotChecks) UnmarshalJSON(raw []byte) error {
	var read map[string]any
	if err := json.Unmarshal(raw, &read); err != nil {
		return err
	}
	all := make(map[string]bool)
	for name, value := range read {
		if on, ok := value.(bool); ok && !on && checkForm.MatchString(name) {
			all[name] = true
		}
	}
	*p = plotChecksOf(all)
	return nil
}
