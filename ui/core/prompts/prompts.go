// Package prompts reads what made a picture from the picture's own file: the prompt
// and the parameters that image generators embed, and the code that Easel embeds
// in what it exports. It also embeds that code.
//
// Files may be hostile. Of each only a bounded part is read and decompressed, and
// a file that makes no sense has no prompt; that is no error.
//
// # Goroutines
//
// There is no state; every function may be called on any goroutine.
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
	// MaxMetadata is how many bytes of texts are read from one file, decompressed.
	MaxMetadata = 4 << 20
	// MaxRaw is how many bytes of Info.Raw are kept.
	MaxRaw = 64 << 10
	// MaxTags is how many tags are taken from a prompt.
	MaxTags = 200
	// MaxTag is how many characters a tag has at most; what is longer is a sentence.
	MaxTag = 64

	maxChunks = 20_000 // of a PNG, a RIFF or a JPEG: more is made to waste time
)

// Info is what a file says about its making. All of it is as the file says, true
// or not.
type Info struct {
	Prompt, Negative string
	Model            string
	Seed             string
	Parameters       map[string]string // as Steps, Sampler, CFG scale; nil if there are none
	Tags             []string          // of the prompt
	Raw              string            // the text that this was read from, at most MaxRaw bytes
	Easel            *Provenance       // what Easel embedded, if it did
	Truncated        bool              // the file ends before its picture does
}

// Empty tells whether the file says nothing.
func (i Info) Empty() bool { return i.Raw == "" && i.Prompt == "" && i.Easel == nil }

// Provenance is what Easel embeds in a picture that it exports.
type Provenance struct {
	Version   int       `json:"easel"` // of this form; 1
	Code      string    `json:"code,omitempty"`
	Title     string    `json:"title,omitempty"`
	Session   string    `json:"session,omitempty"`
	Kernel    string    `json:"kernel,omitempty"`
	Client    string    `json:"client,omitempty"`
	Execution string    `json:"execution,omitempty"`
	Created   time.Time `json:"created,omitzero"`
}

// ErrFormat says that a file cannot carry a text.
var ErrFormat = errors.New("not a PNG")

// Read reads what a PNG, JPEG or WebP of size bytes says about its making. The
// error is one of reading; a broken file is no error.
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

// A carrier is a file that carries texts.
type carrier struct {
	r      io.ReaderAt
	size   int64
	budget int               // bytes of text that may still be read
	texts  map[string]string // by keyword; the first of a name counts
}

// at reads up to n bytes at an offset; fewer where the file ends.
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

// body reads the data of a chunk, as much of it as may be read.
func (c *carrier) body(offset, n int64) ([]byte, error) {
	if n > int64(c.budget) {
		return nil, nil
	}
	return c.at(offset, n)
}

// put notes a text, if it is the first of its keyword and there is room for it.
func (c *carrier) put(keyword, text string) {
	if _, has := c.texts[keyword]; has || text == "" || len(text) > c.budget {
		return
	}
	c.budget -= len(text)
	c.texts[keyword] = strings.ToValidUTF8(text, "�")
}
