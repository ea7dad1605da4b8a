// Package sealed writes and reads stored figures. A figure is Python code in disguise: whoever loads it
// runs what is in it. So Easel seals each file with a key that only it has, and loads only what it has
// sealed itself, for that very picture.
//
// # Goroutines
//
// It has none. A Key may be used on any goroutine.
package sealed

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/ui/core/kernels/inspect"
)

// version is that of the form of the files.
const version = 1

// magic begins each file.
var magic = []byte("easel figure\n")

// The errors of Open.
var (
	ErrForeign = errors.New("another Easel has stored this figure, or the file was changed")
	ErrNewer   = errors.New("a newer Easel has stored this figure")
	ErrOther   = errors.New("the stored figure belongs to another picture")
)

// A Key seals figures. The zero Key seals and opens nothing.
type Key struct{ secret []byte }

const keyBytes = 32

// LoadKey reads the key of this Easel from a file, which it makes if there is none. Only the user can
// read that.
func LoadKey(file string) (Key, error) {
	text, err := system.ReadRegular(file, 1<<10)
	switch {
	case err == nil:
		secret, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
		if err != nil || len(secret) != keyBytes {
			return Key{}, fmt.Errorf("the key of stored figures in %s is damaged", file)
		}
		return Key{secret}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return Key{}, err
	}
	k := Key{make([]byte, keyBytes)}
	_, _ = rand.Read(k.secret) // never fails
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return Key{}, err
	}
	return k, atomicfile.Write(file, []byte(base64.StdEncoding.EncodeToString(k.secret)+"\n"), 0o600)
}

// A header is what a file says of itself.
type header struct {
	Version int `json:"v"`
	Content
	How int `json:"how"` // bytes of the first part
}

// A Content is what is stored of a figure, or why there is none.
type Content struct {
	Names []string `json:"names"` // SHA-256 of each form of its picture, in hexadecimal
	Why   string   `json:"why,omitempty"`
	inspect.FigureOrigin
}

// Seal returns the file of a figure.
func (k Key) Seal(f inspect.PickledFigure) ([]byte, error) {
	if len(k.secret) == 0 {
		return nil, errors.New("there is no key to seal figures with")
	}
	head, err := json.Marshal(header{version, Content{f.Names, f.Why, f.FigureOrigin}, len(f.How)})
	if err != nil {
		return nil, err
	}
	body := slices.Concat(head, []byte("\n"), f.How, f.Figure)
	return slices.Concat(magic, k.sum(body), body), nil
}

func (k Key) sum(body []byte) []byte {
	mac := hmac.New(sha256.New, k.secret)
	_, _ = mac.Write(magic) // hash.Hash never fails
	_, _ = mac.Write(body)
	return mac.Sum(nil)
}

// Open returns the figure in a file that this Easel has sealed. picture is the beginning of the SHA-256 of the
// picture that it is to belong to, in hexadecimal.
func (k Key) Open(file []byte, picture string) (inspect.PickledFigure, error) {
	rest, ok := bytes.CutPrefix(file, magic)
	if !ok || len(k.secret) == 0 || len(rest) < sha256.Size || !hmac.Equal(rest[:sha256.Size], k.sum(rest[sha256.Size:])) {
		return inspect.PickledFigure{}, ErrForeign
	}
	head, parts, _ := bytes.Cut(rest[sha256.Size:], []byte("\n"))
	var h header
	if err := json.Unmarshal(head, &h); err != nil {
		return inspect.PickledFigure{}, err
	}
	switch {
	case h.Version > version:
		return inspect.PickledFigure{}, ErrNewer
	case len(picture) < 32 || !slices.ContainsFunc(h.Names, func(n string) bool { return strings.HasPrefix(n, picture) }):
		return inspect.PickledFigure{}, ErrOther
	case h.How < 0 || h.How > len(parts):
		return inspect.PickledFigure{}, ErrForeign
	}
	return inspect.PickledFigure{Names: h.Names, Why: h.Why, How: parts[:h.How], Figure: parts[h.How:], FigureOrigin: h.FigureOrigin}, nil
}
