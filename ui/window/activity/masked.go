package activity

import (
	"maps"
	"slices"
	"strings"

	"easel/mcphost/catalog"
)

// withPolls returns a call, and those that say how its execution went on.
func (h *History) withPolls(of catalog.Activity) (all []catalog.Activity) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.calls {
		poll := c.Tool == pollTool && c.ExecutionID != "" && c.ExecutionID == of.ExecutionID && c.Client == of.Client
		if c.ID == of.ID || poll {
			all = append(all, c)
		}
	}
	return all
}

// masked returns how often which secrets were hidden in the results of calls.
func masked(calls []catalog.Activity) map[string]int {
	all := make(map[string]int)
	for _, c := range calls {
		for name, n := range c.Masked {
			all[name] += n
		}
	}
	return all
}

// maskedNames says which secrets were hidden in the results of calls; "" if there are none.
func (d *Dock) maskedNames(calls []catalog.Activity) string {
	return strings.Join(slices.Sorted(maps.Keys(masked(calls))), d.k.T("activity.comma"))
}

// maskedTimes also says how often.
func (d *Dock) maskedTimes(calls []catalog.Activity) string {
	found := masked(calls)
	words := slices.Sorted(maps.Keys(found))
	for i, name := range words {
		words[i] = d.k.T("activity.masked_times", name, found[name])
	}
	return strings.Join(words, d.k.T("activity.comma"))
}
