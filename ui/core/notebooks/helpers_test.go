package notebooks

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
)

// A disk is a fake server with files. between, if not nil, is called during each read with
// content, and can simulate changes by others.
type disk struct {
	mu      sync.Mutex
	files   map[string]string
	mtime   int64
	hash    bool
	gateway bool
	between func(d *disk)
	undo    int // number of the next writes that are lost, as by a concurrent read
	writes  int
}

func (d *disk) Contents(_ context.Context, path string, q jupyter.ContentsQuery) (jupyter.ContentsModel, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, ok := d.files[path]
	if path == "" && !d.gateway {
		return jupyter.ContentsModel{Type: "directory"}, nil
	}
	if !ok {
		return jupyter.ContentsModel{}, &jupyter.StatusError{Status: 404, Err: jupyter.ErrNotFound}
	}
	m := jupyter.ContentsModel{Path: path, Type: "notebook", LastModified: time.Unix(0, d.mtime), Size: int64(len(text))}
	if text == "folder" {
		m.Type = "directory"
	}
	if q.Hash && d.hash {
		m.Hash = fmt.Sprintf("%q", text)
	}
	if q.Content {
		m.Content = json.RawMessage(text)
		if d.between != nil {
			d.between(d)
		}
	}
	return m, nil
}

func (d *disk) PutContents(_ context.Context, path string, m jupyter.ContentsModel) (jupyter.ContentsModel, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.undo > 0 {
		d.undo--
		return jupyter.ContentsModel{}, nil
	}
	d.files[path] = string(m.Content)
	if m.Type == "directory" {
		d.files[path] = "folder"
	}
	d.writes++
	d.mtime++
	return jupyter.ContentsModel{}, nil
}

func book(cells ...string) string {
	n := New(Kernel{Name: "python3"})
	for i, source := range cells {
		n.Insert(i, Code, source).id = fmt.Sprintf("id-%s", strings.Fields(source)[0])
	}
	raw, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func sources(t *testing.T, raw string) []string {
	t.Helper()
	n, err := Parse([]byte(raw))
	require.NoError(t, err)
	var list []string
	for _, c := range n.Cells {
		list = append(list, c.Source())
	}
	return list
}

func yes(context.Context) error { return nil }

// outputsOf returns outputs of a cell.
func outputsOf(texts ...string) []json.RawMessage {
	raws := make([]json.RawMessage, len(texts))
	for i, text := range texts {
		raws[i] = json.RawMessage(text)
	}
	return raws
}
