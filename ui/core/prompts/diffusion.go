package prompts

import (
	"cmp"
	"encoding/json"
	"strings"
)

// Limits of the parameters.
const (
	maxPairs = 200
	maxKey   = 64 // bytes of a name
)

// diffusion parses a text of Stable Diffusion: the prompt, "Negative prompt:" and a last
// line of pairs such as "Steps: 20, Sampler: Euler a, Lora hashes: "a: 1, b: 2"". It
// reports whether the text has this format.
func diffusion(text string, info *Info) bool {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	at := len(lines)
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "Steps:") {
			at = i // use the last one, because a prompt may contain one too
		}
	}
	last := len(lines) - 1
	for last > 0 && strings.TrimSpace(lines[last]) == "" {
		last--
	}
	if at == len(lines) && len(pairs(lines[last])) >= 3 {
		at = last
	}
	words := lines[:at]
	negative := -1
	for i, l := range words {
		if strings.HasPrefix(strings.TrimSpace(l), "Negative prompt:") {
			negative = i
			break
		}
	}
	if at == len(lines) && negative < 0 {
		return false
	}
	for _, p := range pairs(strings.Join(lines[at:], "\n")) {
		info.set(p[0], p[1])
	}
	info.Seed, info.Model = info.Parameters["Seed"], info.Parameters["Model"]
	info.Model = cmp.Or(info.Model, info.Parameters["Model hash"])
	if negative >= 0 {
		info.Negative = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.Join(words[negative:], "\n")), "Negative prompt:"))
		words = words[:negative]
	}
	info.Prompt = strings.TrimSpace(strings.Join(words, "\n"))
	return true
}

// pairs parses "name: value, name: value". A value may be JSON, such as a quoted string.
func pairs(s string) (found [][2]string) {
	for s != "" && len(found) < maxPairs {
		s = strings.TrimLeft(s, " ,\t\n")
		colon := strings.IndexByte(s, ':')
		if colon < 0 {
			return found
		}
		if comma := strings.IndexAny(s[:colon], ",\n"); comma >= 0 {
			s = s[comma+1:] // not a pair
			continue
		}
		key := strings.TrimSpace(s[:colon])
		var v string
		v, s = value(strings.TrimLeft(s[colon+1:], " \t"))
		if key != "" && len(key) <= maxKey {
			found = append(found, [2]string{key, v})
		}
	}
	return found
}

// value splits the value at the beginning of s from the rest.
func value(s string) (v, rest string) {
	if s != "" && strings.ContainsRune(`"{[`, rune(s[0])) {
		d := json.NewDecoder(strings.NewReader(s))
		var raw json.RawMessage
		if d.Decode(&raw) == nil {
			rest = s[d.InputOffset():]
			var quoted string
			if json.Unmarshal(raw, &quoted) == nil {
				return quoted, rest
			}
			return string(raw), rest
		}
	}
	end := strings.IndexAny(s, ",\n")
	if end < 0 {
		return strings.TrimSpace(s), ""
	}
	return strings.TrimSpace(s[:end]), s[end+1:]
}
