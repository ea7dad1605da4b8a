package state

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"easel/mcphost/catalog"
)

// Bounds of Deliveries: a client may give itself any name.
const (
	maxDeliveries     = 100
	maxDeliveriesName = 200
)

// Deliveries are the forms in which single clients get pictures, as the user decided. It
// is a value that does not change and can be compared; the zero value is empty.
type Deliveries struct{ lines string } // "name\tmode\n", sorted

// deliveryKey is a client's name as Deliveries has it: without case.
func deliveryKey(client string) string { return strings.ToLower(strings.TrimSpace(client)) }

// Of is the form for a client by its name, without a version; empty: nothing was decided.
func (d Deliveries) Of(client string) string { return d.all()[deliveryKey(client)] }

// With is d with the form for a client; an empty one takes the decision back. What is no
// name or no form changes nothing.
func (d Deliveries) With(client, mode string) Deliveries {
	all := d.all()
	name := deliveryKey(client)
	switch {
	case mode == "":
		delete(all, name)
	case !validDelivery(name, mode):
		return d
	default:
		all[name] = mode
	}
	return deliveriesOf(all)
}

// Clients lists the names for which something was decided, sorted.
func (d Deliveries) Clients() []string { return slices.Sorted(maps.Keys(d.all())) }

func validDelivery(name, mode string) bool {
	known := slices.Contains([]string{catalog.ImagesInline, catalog.ImagesLink, catalog.ImagesNone}, mode)
	return known && name != "" && len(name) <= maxDeliveriesName && !strings.ContainsFunc(name, unicode.IsControl)
}

func (d Deliveries) all() map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(d.lines) {
		name, mode, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		all[name] = mode
	}
	return all
}

func deliveriesOf(all map[string]string) Deliveries {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i == maxDeliveries {
			break
		}
		b.WriteString(name + "\t" + all[name] + "\n")
	}
	return Deliveries{b.String()}
}

// MarshalJSON gives an object of forms by name.
func (d Deliveries) MarshalJSON() ([]byte, error) { return json.Marshal(d.all()) }

// UnmarshalJSON reads such an object. What is no name or no form is left out, so that one
// wrong line in a settings file does not cost the others.
func (d *Deliveries) UnmarshalJSON(raw []byte) error {
	var read map[string]any
	if err := json.Unmarshal(raw, &read); err != nil {
		return err
	}
	all := make(map[string]string)
	for name, value := range read {
		if mode, ok := value.(string); ok && validDelivery(deliveryKey(name), mode) {
			all[deliveryKey(name)] = mode
		}
	}
	*d = deliveriesOf(all)
	return nil
}
