package prompts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"easel/internal/truncate"
)

// Limits of a graph.
const (
	maxNodes = 5_000
	maxDepth = 32
	maxSteps = 2_000
)

// A graph is a graph of ComfyUI: its nodes by id. An input of a node is a scalar, or a link
// to an output of another node.
type graph map[string]node

type node struct {
	Class  string         `json:"class_type"`
	Inputs map[string]any `json:"inputs"`
}

// comfy reads the texts of ComfyUI: "prompt", which is the graph that ran, or else
// "workflow", which is the graph in the editor. It reports whether there is one.
func comfy(texts map[string]string, info *Info) bool {
	for _, k := range []string{"prompt", "workflow"} {
		g := ranGraph(texts[k])
		if len(g) == 0 {
			g = drawnGraph(texts[k])
		}
		if len(g) == 0 {
			continue
		}
		g.read(info)
		info.Raw = texts[k]
		return true
	}
	return false
}

// object parses a JSON object. It accepts Python's NaN and Infinity, which are not valid
// JSON, as null.
func object(raw string) (m map[string]any, ok bool) {
	return m, decode(raw, &m) == nil && m != nil
}

func decode(raw string, v any) error {
	if !looksLikeJSON(raw) {
		return strconv.ErrSyntax
	}
	d := json.NewDecoder(bytes.NewReader(finite([]byte(raw))))
	d.UseNumber() // seeds have 64 bits
	return d.Decode(v)
}

// finite replaces NaN and Infinity outside of strings by null.
func finite(b []byte) []byte {
	if !bytes.Contains(b, []byte("NaN")) && !bytes.Contains(b, []byte("Infinity")) {
		return b
	}
	out := make([]byte, 0, len(b))
	quoted := false
	for i := 0; i < len(b); i++ {
		switch {
		case quoted && b[i] == '\\' && i+1 < len(b):
			out = append(out, b[i])
			i++
		case b[i] == '"':
			quoted = !quoted
		case !quoted && bytes.HasPrefix(b[i:], []byte("NaN")):
			out = append(out, "null"...)
			i += len("NaN") - 1
			continue
		case !quoted && bytes.HasPrefix(b[i:], []byte("Infinity")):
			out = append(bytes.TrimSuffix(out, []byte("-")), "null"...)
			i += len("Infinity") - 1
			continue
		}
		out = append(out, b[i])
	}
	return out
}

// ranGraph parses a "prompt".
func ranGraph(raw string) graph {
	var loose map[string]json.RawMessage
	if decode(raw, &loose) != nil || len(loose) > maxNodes {
		return nil
	}
	g := make(graph)
	for id, part := range loose {
		var n node
		if decode(string(part), &n) == nil && n.Class != "" {
			g[id] = n
		}
	}
	return g
}

// widgets maps classes of nodes to the names of the values that a workflow lists without
// names. A value with the name "" is ignored.
var widgets = map[string][]string{
	"KSampler":               {"seed", "", "steps", "cfg", "sampler_name", "scheduler", "denoise"},
	"KSamplerAdvanced":       {"", "noise_seed", "", "steps", "cfg", "sampler_name", "scheduler"},
	"CLIPTextEncode":         {"text"},
	"CheckpointLoaderSimple": {"ckpt_name"},
	"UNETLoader":             {"unet_name"},
	"LoraLoader":             {"lora_name"},
	"LoraLoaderModelOnly":    {"lora_name"},
	"EmptyLatentImage":       {"width", "height"},
	"PrimitiveNode":          {"value"},
	"RandomNoise":            {"noise_seed"},
	"BasicScheduler":         {"scheduler", "steps", "denoise"},
	"KSamplerSelect":         {"sampler_name"},
}

// drawnGraph parses a "workflow".
func drawnGraph(raw string) graph {
	var w struct {
		Nodes []struct {
			ID     any    `json:"id"`
			Type   string `json:"type"`
			Inputs []struct {
				Name string `json:"name"`
				Link any    `json:"link"`
			} `json:"inputs"`
			Values json.RawMessage `json:"widgets_values"`
		} `json:"nodes"`
		Links []json.RawMessage `json:"links"`
	}
	if decode(raw, &w) != nil || len(w.Nodes) > maxNodes || len(w.Links) > 4*maxNodes {
		return nil
	}
	links := make(map[string]any) // by id, in the form of a "prompt"
	for _, raw := range w.Links {
		var l []any
		if decode(string(raw), &l) == nil && len(l) >= 3 {
			links[scalar(l[0])] = []any{scalar(l[1]), l[2]}
		}
	}
	g := make(graph)
	for _, n := range w.Nodes {
		inputs := make(map[string]any)
		var values []any
		if decode(string(n.Values), &values) == nil {
			for i, name := range widgets[n.Type] {
				if name != "" && i < len(values) {
					inputs[name] = values[i]
				}
			}
		}
		for _, in := range n.Inputs {
			if l, ok := links[scalar(in.Link)]; ok {
				inputs[in.Name] = l
			}
		}
		g[scalar(n.ID)] = node{n.Type, inputs}
	}
	return g
}

// scalar returns a JSON string, number or boolean as text, and "" for other values.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	default:
		return ""
	}
}

// link returns the node and the output that an input is linked to. It returns false if the
// input is not a link.
func link(v any) (id string, output string, ok bool) {
	l, isList := v.([]any)
	if !isList || len(l) != 2 {
		return "", "", false
	}
	return scalar(l[0]), scalar(l[1]), true
}

// ids returns the ids of a graph's nodes, sorted by number.
func (g graph) ids() []string {
	return slices.SortedFunc(maps.Keys(g), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
}

// read finds the sampler and fills info with its inputs.
func (g graph) read(info *Info) {
	for _, id := range g.ids() {
		n := g[id]
		if !sampler(n) {
			continue
		}
		positive, negative := n.Inputs["positive"], n.Inputs["negative"]
		if guider, _, ok := link(n.Inputs["guider"]); ok {
			in := g[guider].Inputs
			positive, negative = cmpAny(in["positive"], in["conditioning"]), in["negative"]
			n.Inputs = merge(n.Inputs, map[string]any{"model": in["model"]})
		}
		info.Prompt = g.text(positive)
		info.Negative = g.text(negative)
		g.settings(n, info)
		if info.Prompt != "" {
			return
		}
	}
	if info.Prompt == "" { // no known sampler: use the first text
		for _, id := range g.ids() {
			if strings.Contains(g[id].Class, "TextEncode") {
				if info.Prompt = g.text([]any{id, "0"}); info.Prompt != "" {
					return
				}
			}
		}
	}
}

func cmpAny(a, b any) any {
	if a != nil {
		return a
	}
	return b
}

func merge(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	for k, v := range b {
		if v != nil && out[k] == nil {
			out[k] = v
		}
	}
	return out
}

func sampler(n node) bool {
	_, _, positive := link(n.Inputs["positive"])
	_, _, guider := link(n.Inputs["guider"])
	_, _, latent := link(n.Inputs["latent_image"])
	return strings.Contains(n.Class, "Sampler") && (positive || guider) || positive && latent
}

// settings fills info with a sampler's numbers and its model.
func (g graph) settings(n node, info *Info) {
	noise, _, _ := link(n.Inputs["noise"])
	sigmas, _, _ := link(n.Inputs["sigmas"])
	chosen, _, _ := link(n.Inputs["sampler"])
	all := []map[string]any{n.Inputs, g[noise].Inputs, g[sigmas].Inputs, g[chosen].Inputs}
	find := func(names ...string) string {
		for _, in := range all {
			for _, name := range names {
				if s := g.number(in[name], 0); s != "" {
					return s
				}
			}
		}
		return ""
	}
	info.Seed = find("seed", "noise_seed")
	for _, name := range names {
		info.set(name[0], find(name[1:]...))
	}
	g.model(n.Inputs["model"], info)
	if latent, _, ok := link(n.Inputs["latent_image"]); ok {
		in := g[latent].Inputs
		if w, h := g.number(in["width"], 0), g.number(in["height"], 0); w != "" && h != "" {
			info.set("Size", w+"x"+h)
		}
	}
}

// number follows the links of an input to a scalar.
func (g graph) number(v any, depth int) string {
	id, _, ok := link(v)
	if !ok {
		return scalar(v)
	}
	if depth > maxDepth {
		return ""
	}
	for _, name := range []string{"seed", "noise_seed", "value", "int", "float", "number"} {
		if in, has := g[id].Inputs[name]; has {
			return g.number(in, depth+1)
		}
	}
	return ""
}

// model follows the links of a model through LoRAs to the file of the model.
func (g graph) model(v any, info *Info) {
	var loras []string
	for range maxDepth {
		id, _, ok := link(v)
		if !ok {
			break
		}
		in := g[id].Inputs
		if s := scalar(in["lora_name"]); s != "" {
			loras = append(loras, s)
		}
		for _, name := range []string{"ckpt_name", "unet_name", "model_name"} {
			if s := scalar(in[name]); s != "" && info.Model == "" {
				info.Model = s
			}
		}
		v = in["model"]
	}
	info.set("LoRA", strings.Join(loras, ", "))
}

// carried lists the inputs through which nodes pass texts and conditionings on.
var carried = []string{
	"text", "text_g", "text_l", "t5xxl", "clip_l", "string", "value", "prompt", "populated_text", "wildcard_text",
	"conditioning", "conditioning_1", "conditioning_2", "conditioning_to", "conditioning_from", "string_a", "string_b", "text_a", "text_b",
	"text1", "text2",
}

// text follows the links of an input to its texts.
func (g graph) text(v any) string {
	w := walk{g, maxSteps}
	return w.text(v, 0)
}

// A walk searches a graph for texts. The number of steps is limited, because a hostile graph
// may branch at each node.
type walk struct {
	graph
	budget int
}

func (w *walk) text(v any, depth int) string {
	id, output, ok := link(v)
	if !ok {
		if s, isText := v.(string); isText {
			return strings.TrimSpace(s)
		}
		return ""
	}
	n, known := w.graph[id]
	w.budget--
	if !known || depth > maxDepth || w.budget < 0 {
		return ""
	}
	if _, both := n.Inputs["negative"]; both && n.Inputs["positive"] != nil {
		return w.text(n.Inputs[map[string]string{"0": "positive", "1": "negative"}[output]], depth+1)
	}
	var parts []string
	for _, name := range carried {
		if s := w.text(n.Inputs[name], depth+1); s != "" && !slices.Contains(parts, s) {
			parts = append(parts, s)
		}
	}
	return truncate.Excerpt(strings.Join(parts, ", "), MaxRaw)
}
