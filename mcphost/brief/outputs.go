package brief

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

// figureText matches the text of a matplotlib figure, which adds nothing to its picture.
var figureText = regexp.MustCompile(`^<Figure size \d+x\d+ with \d+ Axes>$`)

// A member is a member of a JSON object.
type member struct {
	name  string
	value any
}

// outputsForm are what an execution displayed, as members of its object, in their order: stdout,
// stderr, display, result and images. If one of these would have to be there twice, the first
// member is a list of all of them, in which images are numbered from 1.
type outputsForm []member

// outputs returns what the execution displayed; images are its images.
func outputs(e catalog.Execution, images []imageForm) outputsForm {
	list := merged(e, len(images) > 0)
	names := make(map[string]int)
	for _, m := range list {
		names[m.name]++
	}
	var members outputsForm
	once := true
	for _, n := range names {
		once = once && n == 1
	}
	if once {
		members = list
		for i, m := range members {
			if m.name == "images" {
				members[i].value = images
			}
		}
	} else {
		outputs := make([]map[string]any, len(list))
		for i, m := range list {
			outputs[i] = map[string]any{m.name: m.value}
		}
		members = append(members, member{"outputs", outputs})
	}
	if len(images) > 0 && (!once || names["images"] == 0) {
		members = append(members, member{"images", images})
	}
	return members
}

// merged returns the outputs. Those of one kind that follow each other are one. Images are the
// lists of numbers; without pictures, they are left out.
func merged(e catalog.Execution, pictures bool) (list []member) {
	numbers := make(map[string]int, len(e.Images))
	for i, im := range e.Images {
		numbers[im.ImageID] = i + 1
	}
	var texts []*strings.Builder // of the members
	for _, o := range shown(e) {
		name, number := o.Type, 0
		if o.Type == "error" {
			name, o.Text = "traceback", truncate.Middle(shownTraceback(o.Text), mostTraceback)
		}
		if o.ImageID != "" {
			if number = numbers[o.ImageID]; number == 0 || !pictures {
				continue
			}
			name = "images"
		}
		last := len(list) - 1
		if last < 0 || list[last].name != name {
			list, texts = append(list, member{name: name, value: []int(nil)}), append(texts, new(strings.Builder))
			last++
		}
		if number > 0 {
			list[last].value = append(list[last].value.([]int), number)
			continue
		}
		b := texts[last]
		if printed := name == "stdout" || name == "stderr"; !printed && b.Len() > 0 && !strings.HasSuffix(b.String()[b.Len()-1:], "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(o.Text)
	}
	for i := range list {
		if list[i].name != "images" {
			list[i].value = texts[i].String()
		}
	}
	return list
}

// shown returns the outputs without those that another field has, and without the text of figures. Of
// errors, that is the one with which the execution ended, the last one.
func shown(e catalog.Execution) (list []catalog.Output) {
	outputs := e.Outputs
	if outputs == nil {
		outputs = []catalog.Output{{Type: "stdout", Text: e.Stdout}, {Type: "stderr", Text: e.Stderr}, {Type: "result", Text: e.Text}}
	}
	last := -1
	if e.Error != nil {
		for i, o := range outputs {
			if o.Type == "error" {
				last = i
			}
		}
	}
	for i, o := range outputs {
		figure := len(e.Images) > 0 && figureText.MatchString(o.Text)
		if !figure && i != last && (o.Text != "" || o.ImageID != "") {
			list = append(list, o)
		}
	}
	return list
}

// MarshalJSON puts the outputs between the other members.
func (b executionForm) MarshalJSON() ([]byte, error) {
	type plain executionForm
	head := plain(b)
	head.Pictures, head.Truncated, head.ExecutionTimeMS, head.Next = "", nil, 0, ""
	first, err := unescaped(head)
	if err != nil {
		return nil, err
	}
	rest, err := unescaped(struct {
		Pictures        string           `json:"pictures,omitempty"`
		Truncated       []truncationForm `json:"truncated,omitempty"`
		ExecutionTimeMS float64          `json:"execution_time_ms,omitempty"`
		Next            string           `json:"next,omitempty"`
	}{b.Pictures, b.Truncated, b.ExecutionTimeMS, b.Next})
	if err != nil {
		return nil, err
	}
	out := bytes.TrimSuffix(first, []byte("}"))
	for _, m := range b.Shown {
		value, err := unescaped(m.value)
		if err != nil {
			return nil, err
		}
		out = append(append(out, `,"`+m.name+`":`...), value...)
	}
	if len(rest) > 2 {
		out = append(append(out, ','), rest[1:len(rest)-1]...)
	}
	return append(out, '}'), nil
}

// unescaped returns v in JSON. HTML is not escaped.
func unescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
