package prompts

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"easel/internal/truncate"
)

// Tags returns the tags of a prompt: the texts between its commas, without weights, brackets
// and the names of networks. For "(soft light:1.2), {{cat}}, <lora:ink:1>" it returns "soft
// light" and "cat". It omits duplicates and sentences.
func Tags(prompt string) []string {
	var tags []string
	seen := make(map[string]bool)
	for _, t := range split(prompt) {
		t = strings.Join(strings.Fields(t), " ")
		if t == "" || t == "BREAK" || t == "AND" || utf8.RuneCountInString(t) > MaxTag {
			continue
		}
		if key := strings.ToLower(t); !seen[key] {
			seen[key] = true
			tags = append(tags, t)
		}
		if len(tags) == MaxTags {
			break
		}
	}
	return tags
}

var (
	networks = regexp.MustCompile(`<[^<>]{0,200}>`)
	weight   = regexp.MustCompile(`:\s*[-+]?[0-9]*\.?[0-9]+\s*$`)  // word:1.2
	numbered = regexp.MustCompile(`^\s*[-+]?[0-9]*\.?[0-9]+::\s*`) // NovelAI: 1.2::word::
)

// longest is the maximum number of bytes that are read between two commas. Anything longer
// is not a tag.
const longest = 4*MaxTag + 64

// split splits a prompt at the ends of tags. Brackets may contain several tags. A backslash
// escapes a bracket, as in "gon \(series\)".
func split(prompt string) (parts []string) {
	prompt = networks.ReplaceAllString(truncate.Excerpt(prompt, MaxRaw), ",")
	var b strings.Builder
	end := func() {
		t := numbered.ReplaceAllString(b.String(), "")
		t = strings.TrimSuffix(strings.TrimSpace(t), "::")
		parts = append(parts, weight.ReplaceAllString(t, ""))
		b.Reset()
	}
	escaped := false
	depth := 0 // of square brackets, in which a colon is a change: [from:to:0.5]
	for _, r := range prompt {
		switch {
		case b.Len() > longest && !strings.ContainsRune(",\n", r):
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case strings.ContainsRune("([{", r):
			if r == '[' {
				depth++
			}
		case strings.ContainsRune(")]}", r):
			if r == ']' && depth > 0 {
				depth--
			}
			t := weight.ReplaceAllString(b.String(), "")
			b.Reset()
			b.WriteString(t)
		case strings.ContainsRune(",\n\r\t|、，", r):
			end()
		case r == ':' && depth > 0:
			if t := b.String(); !strings.HasSuffix(t, ":") && t != "" {
				b.WriteRune(r)
			}
		default:
			if t := b.String(); depth > 0 && strings.HasSuffix(t, ":") && !strings.ContainsRune("0123456789.", r) {
				b.Reset()
				b.WriteString(strings.TrimSuffix(t, ":"))
				end()
			}
			b.WriteRune(r)
		}
	}
	end()
	return parts
}
