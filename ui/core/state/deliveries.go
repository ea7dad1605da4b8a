package state

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"easel/mcphost/catalog"
)

// Limits of Deliveries: a client may give itself any name.
const (
	maxDeliveries     = 100
	maxDeliveriesName = 200
)

// Deliveries are the user's choices of how single clients get pictures: inline, as a link
// or not at all. A Deliveries is immutable and comparable; the zero value is empty.
type Deliveries struct{ lines string } // "name\tmode\n", sorted

// deliveryKey returns the key of a client: its name without case and outer spaces.
func deliveryKey(client string) string { return strings.ToLower(strings.TrimSpace(client)) }

// Of returns the choice for a client, given its name without version; "" if there is none.
func (d Deliveries) Of(client string) string { return d.all()[deliveryKey(client)] }

// With returns d with the choice for a client; an empty mode removes the choice. If the
// name or the mode is not valid, it returns d.
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

// Clients returns the names of the clients that have a choice, sorted.
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

// MarshalJSON encodes the choices as an object of modes by name.
func (d Deliveries) MarshalJSON() ([]byte, error) { return json.Marshal(d.all()) }

// UnmarshalJSON decodes what MarshalJSON writes. It skips invalid entries, so that one
// wrong line in a settings file does not lose the others.
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

// A Resend is a plot that the user sends to a client again. It waits for the next result to that client.
type Resend struct {
	ImageID string `json:"image_id"`
	Client  string `json:"client"` // the name that it sends, as in library.Delivery
}
