package prompts

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

const sd = `a castle on a hill, (soft light:1.2), {{detailed}}, <lora:ink:0.8>
second line
Negative prompt: blurry, (bad hands:1.4)
Steps: 20, Sampler: DPM++ 2M Karras, CFG scale: 7.5, Seed: 18446744073709551615, Size: 512x768, Model hash: abc123, Model: dream, "shaper", Lora hashes: "ink: 0a1b, other: 2c", Version: v1.9.4`

const wantPrompt = "a castle on a hill, (soft light:1.2), {{detailed}}, <lora:ink:0.8>\nsecond line"

func TestStableDiffusionIsReadFromWhereverItStands(t *testing.T) {
	utf8Comment := append([]byte("ASCII\x00\x00\x00"), sd...)
	for name, data := range map[string][]byte{
		"tEXt":                       with(t, textChunk("parameters", sd)),
		"zTXt":                       with(t, chunk("zTXt", append([]byte("parameters\x00\x00"), deflate(t, sd)...))),
		"iTXt":                       with(t, chunk("iTXt", []byte("parameters\x00\x00\x00en\x00p\x00"+sd))),
		"compressed iTXt":            with(t, chunk("iTXt", append([]byte("parameters\x00\x01\x00\x00\x00"), deflate(t, sd)...))),
		"behind the pixels":          append(plainPNG(t)[:len(plainPNG(t))-12], append(textChunk("parameters", sd), chunk("IEND", nil)...)...),
		"eXIf of a PNG":              with(t, chunk("eXIf", exifBlock(binary.BigEndian, utf8Comment))),
		"JPEG, big-endian UTF-16":    jpegWith(t, 0xe1, append([]byte("Exif\x00\x00"), exifBlock(binary.BigEndian, unicodeComment(binary.BigEndian))...)),
		"JPEG, wrong UTF-16":         jpegWith(t, 0xe1, append([]byte("Exif\x00\x00"), exifBlock(binary.LittleEndian, unicodeComment(binary.BigEndian))...)),
		"JPEG, little-endian UTF-16": jpegWith(t, 0xe1, append([]byte("Exif\x00\x00"), exifBlock(binary.LittleEndian, unicodeComment(binary.LittleEndian))...)),
		"JPEG comment":               jpegWith(t, 0xfe, []byte(sd)),
		"WebP":                       webpWith(exifBlock(binary.LittleEndian, utf8Comment)),
		"WebP with Exif in front":    webpWith(append([]byte("Exif\x00\x00"), exifBlock(binary.LittleEndian, utf8Comment)...)),
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, data)
			if got.Prompt != wantPrompt || got.Negative != "blurry, (bad hands:1.4)" || got.Seed != "18446744073709551615" || got.Model != "dream" || got.Truncated {
				t.Errorf("got %+v", got)
			}
			if p := got.Parameters; p["Sampler"] != "DPM++ 2M Karras" || p["CFG scale"] != "7.5" || p["Lora hashes"] != "ink: 0a1b, other: 2c" || p["Size"] != "512x768" {
				t.Errorf("got %q", p)
			}
			if want := []string{"a castle on a hill", "soft light", "detailed", "second line"}; !cmp.Equal(got.Tags, want) {
				t.Errorf("tags %q", got.Tags)
			}
		})
	}
}

func TestStableDiffusionInOtherForms(t *testing.T) {
	for name, tc := range map[string]struct {
		text, prompt, negative string
		parameters             map[string]string
	}{
		"no negative":       {"a cat\nSteps: 1, Sampler: x, Seed: 5", "a cat", "", map[string]string{"Steps": "1", "Sampler": "x", "Seed": "5"}},
		"no parameters":     {"a cat\nNegative prompt: a dog\nor two", "a cat", "a dog\nor two", nil},
		"only a prompt":     {"a cat", "a cat", "", nil},
		"no prompt":         {"Steps: 1, Sampler: x, Seed: 5", "", "", map[string]string{"Steps": "1", "Sampler": "x", "Seed": "5"}},
		"JSON values":       {"a\nSteps: 2, Hashes: {\"model\": \"a, b\"}, Civitai resources: [{\"a\":1},{\"b\":2}], End: z", "a", "", map[string]string{"Steps": "2", "Hashes": `{"model": "a, b"}`, "Civitai resources": `[{"a":1},{"b":2}]`, "End": "z"}},
		"a quote not ended": {"a\nSteps: 2, Note: \"never ends, Seed: 3", "a", "", map[string]string{"Steps": "2", "Note": `"never ends`, "Seed": "3"}},
		"without Steps":     {"a\nSampler: x, Seed: 3, Size: 1x1", "a", "", map[string]string{"Sampler": "x", "Seed": "3", "Size": "1x1"}},
		"Windows' lines":    {"a\r\nNegative prompt: b\r\nSteps: 2, Seed: 3", "a", "b", map[string]string{"Steps": "2", "Seed": "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, with(t, textChunk("parameters", tc.text)))
			if got.Prompt != tc.prompt || got.Negative != tc.negative || !cmp.Equal(got.Parameters, tc.parameters) {
				t.Errorf("got %q, %q, %q", got.Prompt, got.Negative, got.Parameters)
			}
		})
	}
}

const comfyRan = `{
 "3": {"class_type": "KSampler", "inputs": {"seed": 156680208700286987, "steps": 20, "cfg": 8.0, "sampler_name": "euler", "scheduler": "normal", "denoise": 1,
   "model": ["10", 0], "positive": ["20", 0], "negative": ["20", 1], "latent_image": ["5", 0]}, "is_changed": [NaN]},
 "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "dream.safetensors"}},
 "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 512, "height": 640}},
 "6": {"class_type": "CLIPTextEncode", "inputs": {"text": ["30", 0], "clip": ["4", 1]}},
 "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "NaN, watermark", "clip": ["4", 1]}},
 "10": {"class_type": "LoraLoader", "inputs": {"lora_name": "ink.safetensors", "model": ["4", 0]}},
 "20": {"class_type": "ControlNetApplyAdvanced", "inputs": {"positive": ["6", 0], "negative": ["7", 0]}},
 "30": {"class_type": "PrimitiveStringMultiline", "inputs": {"value": "a bottle, (glass:1.1)"}}
}`

const comfyDrawn = `{"nodes": [
 {"id": 3, "type": "KSampler", "inputs": [{"name": "model", "link": 1}, {"name": "positive", "link": 4}, {"name": "negative", "link": 6}, {"name": "latent_image", "link": 2}], "widgets_values": [42, "randomize", 25, 8, "euler", "normal", 1]},
 {"id": 4, "type": "CheckpointLoaderSimple", "widgets_values": ["dream.safetensors"]},
 {"id": 6, "type": "CLIPTextEncode", "widgets_values": ["a tree"]},
 {"id": 7, "type": "CLIPTextEncode", "widgets_values": ["text"]}],
 "links": [[1, 4, 0, 3, 0, "MODEL"], [4, 6, 0, 3, 1, "CONDITIONING"], [6, 7, 0, 3, 2, "CONDITIONING"]]}`

const comfyFlux = `{
 "13": {"class_type": "SamplerCustomAdvanced", "inputs": {"noise": ["25", 0], "guider": ["22", 0], "sampler": ["16", 0], "sigmas": ["17", 0], "latent_image": ["27", 0]}},
 "16": {"class_type": "KSamplerSelect", "inputs": {"sampler_name": "dpmpp_2m"}},
 "17": {"class_type": "BasicScheduler", "inputs": {"scheduler": "simple", "steps": 12}},
 "22": {"class_type": "BasicGuider", "inputs": {"model": ["12", 0], "conditioning": ["26", 0]}},
 "12": {"class_type": "UNETLoader", "inputs": {"unet_name": "flux1-dev.safetensors"}},
 "25": {"class_type": "RandomNoise", "inputs": {"noise_seed": 7}},
 "26": {"class_type": "FluxGuidance", "inputs": {"guidance": 3.5, "conditioning": ["6", 0]}},
 "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a fox"}}}`

func TestOtherGenerators(t *testing.T) {
	for name, tc := range map[string]struct {
		chunks                        [][]byte
		prompt, negative, model, seed string
		parameters                    map[string]string
	}{
		"ComfyUI, the graph that ran": {
			[][]byte{textChunk("prompt", comfyRan), textChunk("workflow", comfyDrawn)},
			"a bottle, (glass:1.1)", "NaN, watermark", "dream.safetensors", "156680208700286987",
			map[string]string{"Steps": "20", "CFG scale": "8.0", "Sampler": "euler", "Schedule type": "normal", "Denoising strength": "1", "LoRA": "ink.safetensors", "Size": "512x640"},
		},
		"ComfyUI, the graph as drawn": {
			[][]byte{textChunk("workflow", comfyDrawn)},
			"a tree", "text", "dream.safetensors", "42",
			map[string]string{"Steps": "25", "CFG scale": "8", "Sampler": "euler", "Schedule type": "normal", "Denoising strength": "1"},
		},
		"ComfyUI with a guider": {
			[][]byte{textChunk("prompt", comfyFlux)},
			"a fox", "", "flux1-dev.safetensors", "7",
			map[string]string{"Steps": "12", "Sampler": "dpmpp_2m", "Schedule type": "simple"},
		},
		"NovelAI": {
			[][]byte{textChunk("Software", "NovelAI"), textChunk("Source", "NovelAI Diffusion V4"), textChunk("Description", "1girl, {smile}"), textChunk("Comment", `{"steps": 28, "sampler": "k_euler", "seed": 9, "scale": 5.0, "uc": "lowres"}`)},
			"1girl, {smile}", "lowres", "NovelAI Diffusion V4", "9",
			map[string]string{"Steps": "28", "Sampler": "k_euler", "CFG scale": "5.0"},
		},
		"InvokeAI": {
			[][]byte{textChunk("invokeai_metadata", `{"positive_prompt": "x", "negative_prompt": "y", "seed": 3, "model": {"name": "m"}, "steps": 4}`)},
			"x", "y", "m", "3",
			map[string]string{"Steps": "4"},
		},
		"ComfyUI in EXIF of a PNG": {[][]byte{textChunk("prompt", `{"1": {"class_type": "Odd", "inputs": {}}, "2": {"class_type": "CLIPTextEncode", "inputs": {"text": "alone"}}}`)}, "alone", "", "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, with(t, tc.chunks...))
			if got.Prompt != tc.prompt || got.Negative != tc.negative || got.Model != tc.model || got.Seed != tc.seed || !cmp.Equal(got.Parameters, tc.parameters) {
				t.Errorf("got %q, %q, %q, %q, %q", got.Prompt, got.Negative, got.Model, got.Seed, got.Parameters)
			}
		})
	}
}

func TestTagsLeaveWeightsAndBracketsOut(t *testing.T) {
	for prompt, want := range map[string][]string{
		"":                               nil,
		"a, b,a , A":                     {"a", "b"},
		"(a:1.2), ((b)), [c], {{d}}":     {"a", "b", "c", "d"},
		"(a, b:1.3), c":                  {"a", "b", "c"},
		`gon \(series\), saber_(fate\)`:  {"gon (series)", "saber_fate)"},
		"<lora:x:1>, a<lora:y:0.5> b":    {"a", "b"},
		"a | b\nc BREAK":                 {"a", "b", "c BREAK"},
		"a, BREAK, b, AND, c":            {"a", "b", "c"},
		"[cat:dog:0.5], x":               {"cat", "dog", "x"},
		"1.5::big eyes::, -1::hat::":     {"big eyes", "hat"},
		"score: high, time 10:30":        {"score: high", "time 10"},
		"猫、犬，(鳥:1.1)":                    {"猫", "犬", "鳥"},
		"(((unclosed:1.1, b":             {"unclosed", "b"},
		strings.Repeat("long ", 20):      nil,
		"  many   spaces \t , and tabs ": {"many spaces", "and tabs"},
	} {
		if got := Tags(prompt); !cmp.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", prompt, got, want)
		}
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "t%d, ", i)
	}
	if got := Tags(many.String()); len(got) != MaxTags {
		t.Errorf("%d tags", len(got))
	}
}

func TestBombsAndBrokenFilesCostLittle(t *testing.T) {
	zeros := deflate(t, strings.Repeat("\x00", 16<<20))
	bomb := chunk("zTXt", append([]byte("parameters\x00\x00"), zeros...))
	got := read(t, with(t, bomb, bomb, bomb))
	if !empty(got) {
		t.Errorf("got %d bytes", len(got.Raw))
	}
	if got := read(t, with(t, chunk("tEXt", []byte("no zero byte")), chunk("iTXt", []byte("x\x00")), chunk("zTXt", []byte("x\x00\x00junk")), chunk("eXIf", []byte("MM\x00*\xff\xff\xff\xff")))); !empty(got) {
		t.Errorf("got %+v", got)
	}
	// Reading a graph in which each node is linked to all others must end.
	g := make(map[string]any)
	for i := range 60 {
		in := make(map[string]any)
		for j, name := range carried {
			in[name] = []any{fmt.Sprint((i*7 + j) % 60), 0}
		}
		g[fmt.Sprint(i)] = map[string]any{"class_type": "CLIPTextEncode", "inputs": in}
	}
	raw, _ := json.Marshal(g)
	read(t, with(t, textChunk("prompt", string(raw))))
	for n := range plainPNG(t) {
		if got := read(t, plainPNG(t)[:n]); n > 8 && n < len(plainPNG(t))-8 && !got.Truncated {
			t.Errorf("a PNG of %d bytes is called whole", n)
		}
	}
	whole := jpegWith(t, 0xfe, []byte("x"))
	if read(t, whole).Truncated || !read(t, whole[:len(whole)-2]).Truncated || !read(t, whole[:40]).Truncated {
		t.Error("the end of a JPEG is not seen")
	}
	for _, part := range []int{jpegLast, jpegLast + jpegTail - 1} { // the marker may lie across the parts that are searched
		for n := part - 3; n < part+3; n++ {
			if read(t, append(bytes.Clone(whole), make([]byte, n)...)).Truncated {
				t.Errorf("a JPEG with %d bytes after its end counts as truncated", n)
			}
		}
	}
	if read(t, append(bytes.Clone(whole), make([]byte, 300<<10)...)).Truncated {
		t.Error("what stands behind a JPEG makes it broken")
	}
	webp := webpWith([]byte("x"))
	if read(t, webp).Truncated || !read(t, webp[:len(webp)-6]).Truncated {
		t.Error("the end of a WebP is not seen")
	}
}

func TestWhatEaselEmbedsIsReadBack(t *testing.T) {
	p := Provenance{
		Code: "import matplotlib\n# 日本 \x00 <&>", Title: "Größe", Session: "s1", Kernel: "python3", Client: "claude-code 2.1", Execution: "e1",
		Created: time.Date(2026, 3, 14, 9, 26, 0, 0, time.UTC),
	}
	for name, code := range map[string]string{"short": p.Code, "long": strings.Repeat("x = 1 # 日本\n", 20_000)} {
		t.Run(name, func(t *testing.T) {
			p := p
			p.Code = code
			before := with(t, textChunk("Software", "matplotlib"))
			after, err := Embed(before, p)
			require.NoError(t, err)
			again, err := Embed(after, p) // replaced, not added
			if err != nil || !bytes.Equal(after, again) {
				t.Errorf("embedding twice: %d then %d bytes, %v", len(after), len(again), err)
			}
			got := read(t, after)
			p.Version = 1
			if got.Easel == nil || !cmp.Equal(*got.Easel, p) {
				t.Errorf("got %+v", got.Easel)
			}
			was, err1 := png.Decode(bytes.NewReader(before))
			is, err2 := png.Decode(bytes.NewReader(after)) // verifies the checksums
			if err1 != nil || err2 != nil || !cmp.Equal(was.(*image.NRGBA).Pix, is.(*image.NRGBA).Pix) {
				t.Error("the picture is another", err1, err2)
			}
			if !bytes.Contains(after, textChunk("Software", "matplotlib")) || !bytes.Contains(after, []byte("iTXtDescription\x00\x00\x00\x00\x00Größe")) {
				t.Error("other texts are missing")
			}
		})
	}
	for _, data := range [][]byte{nil, []byte("hello"), plainPNG(t)[:40], []byte(pngSignature)} {
		if _, err := Embed(data, p); err == nil {
			t.Errorf("%.10q took a text", data)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(with(f, textChunk("parameters", sd), textChunk("prompt", comfyRan), textChunk("workflow", comfyDrawn)))
	f.Add(with(f, textChunk("prompt", comfyFlux), chunk("zTXt", append([]byte("parameters\x00\x00"), deflate(f, sd)...))))
	f.Add(jpegWith(f, 0xe1, append([]byte("Exif\x00\x00"), exifBlock(binary.BigEndian, unicodeComment(binary.BigEndian))...)))
	f.Add(webpWith(exifBlock(binary.LittleEndian, []byte("ASCII\x00\x00\x00x"))))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II*\x00\x08\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := Read(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err)
		if len(info.Raw) > MaxRaw+8 || len(info.Tags) > MaxTags {
			t.Errorf("%d bytes, %d tags", len(info.Raw), len(info.Tags))
		}
		if out, err := Embed(data, Provenance{Code: "x"}); err == nil {
			again := read(t, out)
			if again.Easel == nil && !strings.Contains(string(data), Keyword) {
				t.Error("what was embedded is not read back")
			}
		}
	})
}

func FuzzTexts(f *testing.F) {
	for _, s := range []string{sd, comfyRan, comfyDrawn, comfyFlux, "a (b:1.2), [c:d:0.1], <lora:x:1>, 1.2::e::", `Steps: 1, A: "b\"c", D: {"e": [`, `{"a": NaN, "b": "NaN", "c": -Infinity}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, k := range []string{"parameters", "prompt", "workflow", "UserComment", "Comment", Keyword} {
			info := interpret(map[string]string{k: strings.ToValidUTF8(s, "?"), "Software": "NovelAI"})
			for _, tag := range info.Tags {
				if tag == "" || strings.TrimSpace(tag) != tag {
					t.Errorf("tag %q", tag)
				}
			}
		}
	})
}

func TestALongPromptTakesNoLongTime(t *testing.T) {
	for _, s := range []string{strings.Repeat("(", 1<<16), strings.Repeat(")", 1<<16), strings.Repeat("a)", 1<<15), strings.Repeat("[a:", 1<<15), strings.Repeat("<", 1<<16)} {
		began := time.Now()
		Tags("x" + s)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%.6q took %s", s, took)
		}
	}
}

// empty reports whether a file says nothing of how it was made.
func empty(i Info) bool { return i.Raw == "" && i.Prompt == "" && i.Easel == nil }
