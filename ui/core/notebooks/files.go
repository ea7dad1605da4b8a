package notebooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"easel/jupyter"
)

// Errors of Files, beside those of package jupyter.
var (
	// ErrNotFound tells that there is nothing at the path.
	ErrNotFound = errors.New("nothing is there")
	// ErrExists tells that something is at the path, and is not overwritten.
	ErrExists = errors.New("it exists already")
	// ErrChanged tells that somebody else changed the notebook meanwhile, so that the edit
	// no longer fits.
	ErrChanged = errors.New("somebody else changed the notebook meanwhile")
	// ErrNoContents tells that the server has no files, as a gateway.
	ErrNoContents = errors.New("this server has no files")
)

// Server is what of a Jupyter server is needed here.
type Server interface {
	Contents(ctx context.Context, path string, q jupyter.ContentsQuery) (jupyter.ContentsModel, error)
	PutContents(ctx context.Context, path string, m jupyter.ContentsModel) (jupyter.ContentsModel, error)
}

// Files reads and writes the notebooks of any number of servers. The zero value
// is ready.
type Files struct {
	mu    sync.Mutex
	locks map[fileKey]*fileLock
	known map[fileKey]reading
}

// A reading is the ids of a notebook's cells at its last reading. jupyter-server
// makes up ids for cells that should have one and have none (nbformat 4.5, written
// by other programs), new ones at each reading: as long as the file is the same,
// so are the ids that we gave out.
type reading struct {
	version version
	ids     []string
}

// maxKnown bounds how many notebooks are remembered.
const maxKnown = 256

// recognise gives the cells of n the ids of the last reading if the file is still
// the same.
func (f *Files) recognise(s Server, path string, v version, n *Notebook) {
	key := fileKey{s, path}
	f.mu.Lock()
	defer f.mu.Unlock()
	if r, ok := f.known[key]; ok && r.version == v && len(r.ids) == len(n.Cells) {
		for i, c := range n.Cells {
			c.id = r.ids[i]
		}
		return
	}
	if f.known == nil || len(f.known) >= maxKnown {
		f.known = make(map[fileKey]reading)
	}
	ids := make([]string, len(n.Cells))
	for i, c := range n.Cells {
		ids[i] = c.id
	}
	f.known[key] = reading{v, ids}
}

type fileKey struct {
	server Server
	path   string
}

type fileLock struct {
	held  chan struct{} // one slot
	users int           // who have it or wait for it
}

// lock waits until nobody else in this process reads or edits the file.
func (f *Files) lock(ctx context.Context, s Server, path string) (unlock func(), err error) {
	key := fileKey{s, path}
	f.mu.Lock()
	if f.locks == nil {
		f.locks = make(map[fileKey]*fileLock)
	}
	l := f.locks[key]
	if l == nil {
		l = &fileLock{held: make(chan struct{}, 1)}
		f.locks[key] = l
	}
	l.users++
	f.mu.Unlock()
	leave := func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(f.locks, key)
		}
	}
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}

// A version tells two states of a file apart.
type version struct {
	hash     string
	modified int64 // nanoseconds; where the server has no hash
	size     int64
}

func versionOf(m jupyter.ContentsModel) version {
	if m.Hash != "" {
		return version{hash: m.Hash}
	}
	return version{modified: m.LastModified.UnixNano(), size: m.Size}
}

// Read reads the notebook at path. It waits for a writer of this process: a
// jupyter-server that reads a notebook while it writes it takes the half file for
// a damaged one and puts the former one back, and the write is lost without a word
// (_read_notebook in jupyter_server.services.contents.fileio).
func (f *Files) Read(ctx context.Context, s Server, path string) (*Notebook, error) {
	unlock, err := f.lock(ctx, s, path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	n, _, err := f.read(ctx, s, path)
	return n, err
}

func (f *Files) read(ctx context.Context, s Server, path string) (*Notebook, version, error) {
	m, err := contents(ctx, s, path)
	if err != nil {
		return nil, version{}, missing(ctx, s, path, err)
	}
	n, err := Parse(m.Content)
	if err != nil {
		return nil, version{}, err
	}
	f.recognise(s, path, versionOf(m), n)
	return n, versionOf(m), nil
}

// How often a notebook that cannot be read is asked for again, and after how long.
const (
	halfTries = 4
	halfPause = 100 * time.Millisecond
)

// contents gets a notebook. jupyter-server empties a file before it writes it anew
// (jupyter_server.services.contents.fileio), and reads meanwhile: what is half
// there now may be whole in a moment.
func contents(ctx context.Context, s Server, path string) (jupyter.ContentsModel, error) {
	for try := 1; ; try++ {
		m, err := s.Contents(ctx, path, jupyter.ContentsQuery{Type: "notebook", Content: true, Hash: true})
		e, ok := errors.AsType[*jupyter.StatusError](err)
		if !ok || e.Status != http.StatusBadRequest || !strings.Contains(e.Message, "NotJSON") || try == halfTries {
			return m, err
		}
		again := time.NewTimer(halfPause)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return m, err
		}
	}
}

// missing finds out what it means that a server has nothing at path, or something
// else than a notebook.
func missing(ctx context.Context, s Server, path string, err error) error {
	switch e, ok := errors.AsType[*jupyter.StatusError](err); {
	case ok && e.Status == http.StatusBadRequest:
		return &FormatError{Reason: "it is not a notebook: " + e.Message}
	case ok && e.Status == http.StatusInternalServerError: // as of a file in a file
		if file := through(ctx, s, path); file != "" {
			return &jupyter.PathError{Reason: fmt.Sprintf("goes through %q, which is a file and not a folder", file)}
		}
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &FormatError{Reason: "it holds what JSON does not know, as NaN or Infinity (" + err.Error() + ")"}
	}
	if !errors.Is(err, jupyter.ErrNotFound) {
		return err
	}
	if _, root := s.Contents(ctx, "", jupyter.ContentsQuery{}); errors.Is(root, jupyter.ErrNotFound) {
		return ErrNoContents
	}
	return fmt.Errorf("%w: %q", ErrNotFound, path)
}

// through is the file that a path takes for a folder, or "".
func through(ctx context.Context, s Server, path string) string {
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		if m, err := s.Contents(ctx, path[:i], jupyter.ContentsQuery{}); err != nil {
			break
		} else if m.Type != "directory" {
			return path[:i]
		}
	}
	return ""
}

// Stat tells what is at path, without its content.
func (f *Files) Stat(ctx context.Context, s Server, path string) (jupyter.ContentsModel, error) {
	m, err := s.Contents(ctx, path, jupyter.ContentsQuery{})
	if err != nil {
		err = missing(ctx, s, path, err)
	}
	return m, err
}

// attempts is how often an edit is tried: once more on what somebody else wrote
// in between.
const attempts = 2

// Edit changes the notebook at path. edit is called with what is there now, and
// again with the fresh content if somebody else wrote it between reading and
// writing: it then has to find its cells again, or answer ErrChanged. allow is
// asked before anything is written whether it may be. What changes nothing is not
// written.
func (f *Files) Edit(ctx context.Context, s Server, path string, allow func(context.Context) error, edit func(*Notebook) error) error {
	unlock, err := f.lock(ctx, s, path)
	if err != nil {
		return err
	}
	defer unlock()
	for range attempts {
		n, before, err := f.read(ctx, s, path)
		if err != nil {
			return err
		}
		if from, ok := n.Upgraded(); ok {
			return &FormatError{fmt.Sprintf("it is in notebook format %d, which is only read here; save it in JupyterLab once to convert it", from), true}
		}
		former, err := json.Marshal(n)
		if err != nil {
			return err
		}
		if err := edit(n); err != nil {
			return err
		}
		if err := allow(ctx); err != nil {
			return err
		}
		content, err := json.Marshal(n)
		if err != nil || bytes.Equal(content, former) {
			return err
		}
		if now, err := stat(ctx, s, path); err != nil {
			return missing(ctx, s, path, err)
		} else if now != before {
			continue
		}
		return keep(ctx, s, path, content, before)
	}
	return fmt.Errorf("%w, again and again", ErrChanged)
}

// stat tells the version of a notebook without reading it as one.
func stat(ctx context.Context, s Server, path string) (version, error) {
	m, err := s.Contents(ctx, path, jupyter.ContentsQuery{Type: "notebook", Hash: true})
	return versionOf(m), err
}

// keep writes a notebook until it is there. What somebody else reads through the
// server meanwhile, as JupyterLab does, may undo a write: see Read.
func keep(ctx context.Context, s Server, path string, content json.RawMessage, before version) error {
	for range writes {
		if err := put(ctx, s, path, content); err != nil {
			return err
		}
		now, err := stat(ctx, s, path)
		if err == nil && now != before {
			return nil
		}
		if err != nil && !errors.Is(err, jupyter.ErrNotFound) {
			return err
		}
	}
	if before.hash == "" {
		return nil // its times may be too coarse to tell two writes apart
	}
	return fmt.Errorf("%w, or the server does not keep what it is given", ErrChanged)
}

// writes is how often a write that was undone is tried.
const writes = 4

func put(ctx context.Context, s Server, path string, content json.RawMessage) error {
	if err := jupyter.CheckNewNotebook(path); err != nil {
		return err
	}
	_, err := s.PutContents(ctx, path, jupyter.ContentsModel{Type: "notebook", Format: "json", Content: content})
	return err
}

// Create writes a new notebook to path, and the folders above it. What is there
// already is ErrExists.
func (f *Files) Create(ctx context.Context, s Server, path string, n *Notebook) error {
	content, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := jupyter.CheckNewNotebook(path); err != nil { // before folders are made for it
		return err
	}
	unlock, err := f.lock(ctx, s, path)
	if err != nil {
		return err
	}
	defer unlock()
	switch _, err := f.Stat(ctx, s, path); {
	case err == nil:
		return fmt.Errorf("%w: %q", ErrExists, path)
	case !errors.Is(err, ErrNotFound):
		return err
	}
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		if err := f.folder(ctx, s, path[:i]); err != nil {
			return err
		}
	}
	return refused(put(ctx, s, path, content))
}

// refused is err, or the reason of a server that does not write there: it serves no
// hidden files, for example.
func refused(err error) error {
	if e, ok := errors.AsType[*jupyter.StatusError](err); ok && e.Status == http.StatusBadRequest {
		return &jupyter.PathError{Reason: "is refused by the server: " + e.Message}
	}
	return err
}

func (f *Files) folder(ctx context.Context, s Server, path string) error {
	m, err := f.Stat(ctx, s, path)
	switch {
	case err == nil && m.Type != "directory":
		return fmt.Errorf("%w: %q is a file, not a folder", ErrExists, path)
	case errors.Is(err, ErrNotFound):
		_, err = s.PutContents(ctx, path, jupyter.ContentsModel{Type: "directory"})
		err = refused(err)
	}
	return err
}

// Free finds a name for a new notebook: path, or path with a number.
func (f *Files) Free(ctx context.Context, s Server, path string) (string, error) {
	base := strings.TrimSuffix(path, ".ipynb")
	for n := 2; ; n++ {
		_, err := f.Stat(ctx, s, path)
		if errors.Is(err, ErrNotFound) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		path = fmt.Sprintf("%s-%d.ipynb", base, n)
	}
}
