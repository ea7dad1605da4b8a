// Package prompts reads from an image file how the image was made: the prompt and the
// parameters that image generators embed, and the code that Easel embeds in images that it
// exports. It also embeds that code.
//
// Files may be hostile. The amount of data that is read and decompressed is limited. A
// malformed file is not an error; it has no prompt.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use.
package prompts

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Limits of what is read.
const (
	// MaxMetadata is the maximum size of the texts in one file, decompressed, in bytes.
	MaxMetadata = 4 << 20
	// MaxRaw is the maximum size of Info.Raw, in bytes.
	MaxRaw = 64 << 10
	// MaxTags is the maximum number of tags in a prompt.
	MaxTags = 200
	// MaxTag is the maximum number of characters of a tag. Anything longer is a sentence.
	MaxTag = 64

	maxChunks = 20_000 // of a PNG, a RIFF or a JPEG that are read
)

// Info says how an image was made, according to its file. None of it is verified.
type Info struct {
	Prompt, Negative string
	Model            string
	Seed             string
	Parameters       map[string]string // such as Steps, Sampler, CFG scale; nil if there are none
	Tags             []string          // of the prompt
	Raw              string            // the text that this was read from, at most MaxRaw bytes
	Easel            *Provenance       // embedded by Easel; nil if there is none
	Truncated        bool              // the image file is incomplete
}

// Provenance is what Easel embeds in a picture that it exports.
type Provenance struct {
	Version   int       `json:"easel"` // of this format; 1
	Code      string    `json:"code,omitempty"`
	Title     string    `json:"title,omitempty"`
	Session   string    `json:"session,omitempty"`
	Kernel    string    `json:"kernel,omitempty"`
	Client    string    `json:"client,omitempty"`
	Execution string    `json:"execution,omitempty"`
	Created   time.Time `json:"created,omitzero"`
}

// ErrFormat is the error of Embed for data that is not a complete PNG.
var ErrFormat = errors.New("not a PNG")

// Read reads the information in a PNG, JPEG or WebP of size bytes. It returns an error only
// if r does. A malformed file is not an error.
func Read(r io.ReaderAt, size int64) (Info, error) {
	c := &carrier{r: r, size: size, budget: MaxMetadata, texts: make(map[string]string)}
	head, err := c.at(0, 12)
	if err != nil {
		return Info{}, fmt.Errorf("read metadata: %w", err)
	}
	cut := false
	switch {
	case strings.HasPrefix(string(head), pngSignature):
		cut, err = c.png()
	case strings.HasPrefix(string(head), "\xff\xd8"):
		cut, err = c.jpeg()
	case len(head) == 12 && string(head[:4]) == "RIFF" && string(head[8:]) == "WEBP":
		cut, err = c.webp()
	}
	if err != nil {
		return Info{}, fmt.Errorf("read metadata: %w", err)
	}
	info := interpret(c.texts)
	info.Truncated = cut
	return info, nil
}

// A carrier is an image file that contains texts.
type carrier struct {
	r      io.ReaderAt
	size   int64
	budget int               // bytes of text that may still be read
	texts  map[string]string // by keyword; of several with one keyword, the first
}

// at reads n bytes at an offset, or fewer at the end of the file.
func (c *carrier) at(offset, n int64) ([]byte, error) {
	n = min(n, c.size-offset)
	if offset < 0 || n <= 0 {
		return nil, nil
	}
	b := make([]byte, n)
	read, err := c.r.ReadAt(b, offset)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return b[:read], err
}

// body reads the n bytes of a chunk. It returns nil if they exceed the budget.
func (c *carrier) body(offset, n int64) ([]byte, error) {
	if n > int64(c.budget) {
		return nil, nil
	}
	return c.at(offset, n)
}

// put stores a text, if it is the first with its keyword and does not exceed the budget.
func (c *carrier) put(keyword, text string) {
	if _, has := c.texts[keyword]; has || text == "" || len(text) > c.budget {
		return
	}
	c.budget -= len(text)
	c.texts[keyword] = strings.ToValidUTF8(text, "�")
}
