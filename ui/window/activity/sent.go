package activity

import (
	"fmt"
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/window/i18n"
)

// received returns what the client of a call got: of its own result, and of those that say how its execution
// went on. What those left out that came before the last one, the last one may have.
func (h *History) received(of catalog.Activity) (images []catalog.SentImage, text, leftOut int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range slices.Backward(h.calls) { // oldest first
		poll := c.Tool == pollTool && c.ExecutionID != "" && c.ExecutionID == of.ExecutionID && c.Client == of.Client
		if c.ID != of.ID && !poll || c.TextBytes == 0 {
			continue
		}
		text, leftOut = text+c.TextBytes, c.LeftOut
		for _, s := range c.Sent {
			images = more(images, s)
		}
	}
	return images, text, leftOut
}

// more adds an image that was sent, or replaces what was sent of it before if a model sees more now.
func more(images []catalog.SentImage, s catalog.SentImage) []catalog.SentImage {
	i := slices.IndexFunc(images, func(o catalog.SentImage) bool { return o.ImageID == s.ImageID })
	switch {
	case i < 0:
		return append(images, s)
	case slices.Index(catalog.SentHow, s.How) < slices.Index(catalog.SentHow, images[i].How):
		images[i] = s
	}
	return images
}

// sentWords says what the client of a call got; "" if that is not known.
func (d *Dock) sentWords(c catalog.Activity) string {
	k := d.k
	images, text, leftOut := d.history.received(c)
	if text == 0 {
		return ""
	}
	var sizes, words []string
	count := make(map[string]int)
	for _, s := range images {
		how := s.How
		if how == catalog.SentPart {
			how = catalog.SentInline
		}
		count[how]++
		if size := fmt.Sprintf("%d × %d px", s.Width, s.Height); how == catalog.SentInline && s.Width > 0 && !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	}
	if n := count[catalog.SentInline]; n > 0 {
		words = append(words, k.Tr.N("activity.sent_inline", n, strings.Join(sizes, k.T("activity.comma"))))
	}
	if n := count[catalog.SentLink]; n > 0 {
		words = append(words, k.Tr.N("activity.sent_link", n))
	}
	if n := count[catalog.SentText]; n > 0 {
		words = append(words, k.Tr.N("activity.sent_text", n))
	}
	if leftOut > 0 {
		words = append(words, k.T("activity.sent_cut", i18n.Bytes(text), i18n.Bytes(text+leftOut)))
	} else {
		words = append(words, k.T("activity.sent_all", i18n.Bytes(text)))
	}
	return strings.Join(words, " · ")
}
