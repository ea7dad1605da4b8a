package prompts

import (
	"cmp"
	"encoding/json"
	"strings"

	"easel/internal/truncate"
	"easel/ui/core/picture/axes"
)

// interpret returns the information in the texts of a file, which are given by keyword.
func interpret(texts map[string]string) (info Info) {
	delete(texts, axes.Keyword) // says nothing about the origin
	for _, reading := range []func(map[string]string, *Info) bool{easel, parameters, comfy, novelAI, flat} {
		if reading(texts, &info) {
			break
		}
	}
	if info.Raw == "" {
		info.Raw = anything(texts)
	}
	info.Raw = truncate.Excerpt(info.Raw, MaxRaw)
	info.Tags = Tags(info.Prompt)
	return info
}

// easel reads a Provenance that Easel embedded. It reports whether there is one.
func easel(texts map[string]string, info *Info) bool {
	var p Provenance
	raw := texts[Keyword]
	if raw == "" || json.Unmarshal([]byte(raw), &p) != nil || p.Version < 1 {
		return false
	}
	info.Easel, info.Raw = &p, raw
	return true
}

// parameters reads a text of Stable Diffusion, from a PNG or from EXIF. It reports whether
// there is one.
func parameters(texts map[string]string, info *Info) bool {
	for _, k := range []string{"parameters", "UserComment", "Comment", "XPComment", "ImageDescription"} {
		t := texts[k]
		if t == "" || looksLikeJSON(t) {
			continue
		}
		if diffusion(t, info) || k == "parameters" {
			if info.Prompt == "" && info.Parameters == nil {
				info.Prompt = strings.TrimSpace(t)
			}
			info.Raw = t
			return true
		}
	}
	return false
}

// anything returns the most informative text, or "". It is used if no format is recognized.
func anything(texts map[string]string) string {
	for _, k := range []string{
		"parameters", "prompt", "workflow", "UserComment", "Comment", "Description", "ImageDescription",
		"XPComment", "Title", "Software",
	} {
		if t := texts[k]; t != "" {
			return t
		}
	}
	return ""
}

func looksLikeJSON(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n\ufeff")
	return strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[")
}

// set sets a parameter, unless the value is empty or there are too many parameters.
func (i *Info) set(name, value string) {
	if value == "" || len(i.Parameters) >= maxPairs {
		return
	}
	if i.Parameters == nil {
		i.Parameters = make(map[string]string)
	}
	i.Parameters[name] = truncate.Excerpt(value, 4<<10)
}

// novelAI reads the texts of NovelAI: the prompt in Description, and the rest as JSON in
// Comment. It reports whether they are there.
func novelAI(texts map[string]string, info *Info) bool {
	raw := texts["Comment"]
	if !strings.HasPrefix(texts["Software"], "NovelAI") || !looksLikeJSON(raw) {
		return false
	}
	m, ok := object(raw)
	if !ok {
		return false
	}
	info.Raw = raw
	info.Model = texts["Source"]
	info.fill(m)
	info.Prompt = cmp.Or(info.Prompt, texts["Description"])
	return true
}

// flat reads the texts of generators that write one flat JSON object with common names, such
// as InvokeAI and Fooocus. It reports whether there is a prompt.
func flat(texts map[string]string, info *Info) bool {
	for _, k := range []string{"invokeai_metadata", "parameters", "fooocus_scheme", "UserComment", "Comment", "prompt", "ImageDescription"} {
		m, ok := object(texts[k])
		if !ok {
			continue
		}
		var found Info
		found.fill(m)
		if found.Prompt == "" {
			continue
		}
		*info = found
		info.Raw = texts[k]
		return true
	}
	if p := texts["prompt"]; p != "" && !looksLikeJSON(p) {
		info.Prompt, info.Negative, info.Raw = p, texts["negative_prompt"], p
		return true
	}
	return false
}

// names lists our name of each parameter, followed by the names that generators use in JSON.
var names = [][]string{
	{"Steps", "steps", "num_inference_steps"},
	{"Sampler", "sampler", "sampler_name"},
	{"Schedule type", "scheduler", "noise_schedule"},
	{"CFG scale", "cfg_scale", "scale", "cfg", "guidance_scale"},
	{"Denoising strength", "strength", "denoise"},
	{"Width", "width"},
	{"Height", "height"},
}

// fill sets the fields of i from a JSON object with common names.
func (i *Info) fill(m map[string]any) {
	first := func(keys ...string) string {
		for _, k := range keys {
			if s := scalar(m[k]); s != "" {
				return s
			}
		}
		return ""
	}
	i.Prompt = first("positive_prompt", "prompt", "Prompt")
	i.Negative = first("negative_prompt", "uc", "negativePrompt")
	i.Seed = first("seed", "noise_seed")
	if model := first("model", "base_model", "model_name", "sd_model_name"); model != "" {
		i.Model = model
	}
	if o, ok := m["model"].(map[string]any); ok && i.Model == "" {
		for _, k := range []string{"name", "model_name", "key"} {
			if i.Model == "" {
				i.Model = scalar(o[k])
			}
		}
	}
	for _, n := range names {
		i.set(n[0], first(n[1:]...))
	}
}
