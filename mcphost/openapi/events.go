package openapi

import (
	"net/http"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/eventlog"
)

// events describes the stream of GET /api/events. OpenAPI 3.0 cannot describe a stream,
// so the schema describes one event by its fields id, event and data.
func (w *writer) events() (object, error) {
	event, err := w.event()
	if err != nil {
		return nil, err
	}
	op := object{
		"operationId": "events", "summary": "Follow what happens",
		"description": "An endless stream of server-sent events: everything that changes in the window, whoever changed it. Each event has an id, an event name and, as JSON in data, the object named before the dot. Send the last id as Last-Event-ID to resume without a gap. The event reset says that events were lost: read the state again. Without events, there is a comment every 15 seconds.",
		"tags":        []string{"resources"},
		"parameters": []object{{
			"name": "Last-Event-ID", "in": "header", "schema": object{"type": "string", "maxLength": 100},
			"description": "id of the last event that was received",
		}},
		"responses": w.responses("", event, http.StatusBadRequest, http.StatusInternalServerError, http.StatusServiceUnavailable),
	}
	if rs, ok := op["responses"].(object); ok {
		rs["200"] = object{
			"description": "An endless stream. On the wire: `id: m8x2k1-17`, `event: image.added`, `data: {…}` and an empty line.",
			"content":     object{"text/event-stream": object{"schema": event}},
		}
	}
	return op, nil
}

// event describes any of the events by the object that it contains.
func (w *writer) event() (object, error) {
	type family struct {
		names []string
		what  []string
		data  object
	}
	families := make(map[string]*family)
	var order []string
	for _, c := range catalog.ChangeKinds {
		data, err := Schema(c.Schema)
		if err != nil {
			return nil, err
		}
		of, _, _ := strings.Cut(string(c.Name), ".")
		f := families[of]
		if f == nil {
			f = &family{data: w.hoisted(typeName(of), data)}
			if f.data["$ref"] == nil {
				f.data["description"] = c.Object
			}
			families[of], order = f, append(order, of)
		}
		f.names = append(f.names, string(c.Name))
		f.what = append(f.what, string(c.Name)+": "+c.When)
	}
	families[eventlog.Reset] = &family{
		[]string{eventlog.Reset},
		[]string{"events were lost: read the state again"},
		object{"type": "object", "description": "empty"},
	}
	order = append(order, eventlog.Reset)

	var all []any
	mapping := make(object)
	for _, of := range order {
		f := families[of]
		ref := w.refer(typeName(of)+"Event", object{
			"type": "object", "required": []string{"id", "event", "data"},
			"description": strings.Join(f.what, "; "),
			"properties": object{
				"id":    object{"type": "string", "description": "increases within one run of Easel"},
				"event": object{"type": "string", "enum": f.names},
				"data":  f.data,
			},
		})
		all = append(all, ref)
		for _, name := range f.names {
			mapping[name] = ref["$ref"]
		}
	}
	return w.refer("Event", object{
		"oneOf": all, "discriminator": object{"propertyName": "event", "mapping": mapping},
		"description": "One event of the stream.",
	}), nil
}
