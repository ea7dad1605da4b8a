package record

import (
	"encoding/json"
	"slices"
	"strings"

	"easel/jupyter/wire"
)

const (
	// mostWidgets is how many models are remembered.
	mostWidgets = 8_192
	// mostState is the largest state of a model that is read, in bytes.
	mostState = 1 << 20
)

// widgets are the models of ipywidgets in a kernel, as far as they decide where output
// belongs. The code in an Output widget tells the kernel's clients, by the state msg_id, that
// what a request sends from now on belongs to the widget, and by an empty msg_id that it no
// longer does. The zero value is empty.
type widgets struct {
	models map[string]*widgetModel
	order  []string            // ids of models, oldest first
	hooks  map[string][]string // by request: ids of Output widgets that take its output, the last one takes it
}

// A widgetModel is one model.
type widgetModel struct {
	module, name string
	children     []string
	outputs      []json.RawMessage // that the kernel itself has set
	request      string            // whose output it takes; "" if none
}

// A commContent is the content of comm_open and comm_msg.
type commContent struct {
	CommID string `json:"comm_id"`
	Target string `json:"target_name"`
	Data   struct {
		Method string       `json:"method"`
		State  *widgetState `json:"state"`
	} `json:"data"`
}

// A widgetState is what widgets reads of a model's state. What a message leaves out is nil.
type widgetState struct {
	Module   string             `json:"_model_module"`
	Name     string             `json:"_model_name"`
	Children json.RawMessage    `json:"children"`
	Request  *string            `json:"msg_id"`
	Outputs  *[]json.RawMessage `json:"outputs"`
}

// record handles a message about a model. If the kernel itself has set what an Output widget
// shows, it returns the id of the widget and its outputs, in the format of a notebook. With all,
// they replace what the widget shows; otherwise, they are added to it.
func (w *widgets) record(m *wire.Message) (id string, outputs []json.RawMessage, all bool) {
	var c commContent
	if len(m.Content) > mostState || m.Decode(&c) != nil || c.Data.Method == "echo_update" { // another client's
		return "", nil, false
	}
	known := w.models[c.CommID]
	switch {
	case m.Header.MsgType == "comm_close":
		w.release(c.CommID, known)
		delete(w.models, c.CommID)
		return "", nil, false
	case m.Header.MsgType == "comm_open" && c.Target == "jupyter.widget" && c.Data.State != nil:
		known = &widgetModel{module: c.Data.State.Module, name: c.Data.State.Name}
		w.remember(c.CommID, known)
	case known == nil || c.Data.State == nil:
		return "", nil, false
	}
	s := c.Data.State
	if s.Children != nil {
		known.children = modelIDs(s.Children)
	}
	if known.name != "OutputModel" {
		return "", nil, false
	}
	if s.Request != nil {
		w.release(c.CommID, known)
		if known.request = *s.Request; known.request != "" {
			if w.hooks == nil {
				w.hooks = make(map[string][]string)
			}
			w.hooks[known.request] = append(w.hooks[known.request], c.CommID)
		}
	}
	if s.Outputs == nil {
		return "", nil, false
	}
	former := known.outputs
	known.outputs = *s.Outputs
	if n := len(former); n <= len(known.outputs) && slices.EqualFunc(former, known.outputs[:n], slices.Equal[json.RawMessage]) &&
		len(known.outputs) > 0 {
		return c.CommID, known.outputs[n:], false // as append_stdout does
	}
	return c.CommID, known.outputs, m.Header.MsgType == "comm_msg"
}

// release ends the capture of output by a widget.
func (w *widgets) release(id string, model *widgetModel) {
	if model == nil || model.request == "" {
		return
	}
	stack := w.hooks[model.request]
	if i := lastIndex(stack, id); i >= 0 {
		stack = slices.Delete(stack, i, i+1)
	}
	if len(stack) == 0 {
		delete(w.hooks, model.request)
	} else {
		w.hooks[model.request] = stack
	}
	model.request = ""
}

func lastIndex(list []string, item string) int {
	for i, s := range slices.Backward(list) {
		if s == item {
			return i
		}
	}
	return -1
}

func (w *widgets) remember(id string, model *widgetModel) {
	if w.models == nil {
		w.models = make(map[string]*widgetModel)
	}
	if w.models[id] == nil {
		w.order = append(w.order, id)
	}
	w.models[id] = model
	for len(w.order) > mostWidgets {
		delete(w.models, w.order[0])
		w.order = w.order[1:]
	}
}

// taker returns the id of the Output widget that takes the output of a request, or "" if the
// cell shows it.
func (w *widgets) taker(request string) string {
	if stack := w.hooks[request]; len(stack) > 0 {
		return stack[len(stack)-1]
	}
	return ""
}

// reset forgets everything, because the kernel's process has ended.
func (w *widgets) reset() { *w = widgets{} }

// outputsIn returns the Output widgets in the tree of a model.
func (w *widgets) outputsIn(model string) (ids []string) {
	w.walk(model, func(id string, m *widgetModel) {
		if m != nil && m.name == "OutputModel" {
			ids = append(ids, id)
		}
	})
	return ids
}

// quiet reports whether a widget is no figure: it is a bar of progress, or it shows nothing but
// what Output widgets contain.
func (w *widgets) quiet(model string) bool {
	bar, other, known := false, false, false
	w.walk(model, func(_ string, m *widgetModel) {
		switch {
		case m == nil:
			other = true
		case strings.HasSuffix(m.name, "ProgressModel"):
			bar = true
		case m.name == "OutputModel":
			known = true
		case !strings.HasSuffix(m.name, "BoxModel"):
			other = true
		}
	})
	return bar || known && !other
}

// walk calls f for a model and those in it, each once. A model that is unknown is nil.
func (w *widgets) walk(model string, f func(id string, m *widgetModel)) {
	seen := map[string]bool{model: true}
	for next := []string{model}; len(next) > 0; next = next[1:] {
		m := w.models[next[0]]
		f(next[0], m)
		if m == nil {
			continue
		}
		for _, child := range m.children {
			if !seen[child] && len(seen) < mostWidgets {
				seen[child] = true
				next = append(next, child)
			}
		}
	}
}

// modelIDs returns the ids of models in a state.
func modelIDs(raw json.RawMessage) (ids []string) {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil // another library's
	}
	for _, item := range list {
		if id, ok := strings.CutPrefix(item, "IPY_MODEL_"); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// widgetIn returns the id of the model that a display shows as a widget, or "".
func widgetIn(d wire.DisplayData) string {
	var view struct {
		ModelID string `json:"model_id"`
	}
	if raw := d.Data[widgetView]; raw == nil || json.Unmarshal(raw, &view) != nil {
		return ""
	}
	return view.ModelID
}

const widgetView = "application/vnd.jupyter.widget-view+json"
