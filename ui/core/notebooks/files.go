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

// Errors of Files, in addition to those of package jupyter.
var (
	// ErrNotFound means that nothing exists at the path.
	ErrNotFound = errors.New("nothing is there")
	// ErrExists means that something exists at the path. It is not overwritten.
	ErrExists = errors.New("it exists already")
	// ErrChanged means that the edit can no longer be applied, because somebody else has
	// changed the notebook in the meantime.
	ErrChanged = errors.New("somebody else has changed the notebook in the meantime")
	// ErrNoContents means that the server has no Contents API, like a gateway.
	ErrNoContents = errors.New("this server has no files")
)

// A Server is the Contents API of a Jupyter server. A [jupyter.Server] is one. It must be
// comparable.
type Server interface {
	Contents(ctx context.Context, path string, q jupyter.ContentsQuery) (jupyter.ContentsModel, error)
	PutContents(ctx context.Context, path string, m jupyter.ContentsModel) (jupyter.ContentsModel, error)
}

// Files reads and writes notebooks on any number of servers. The zero value is ready to
// use.
type Files struct {
	mu    sync.Mutex
	locks map[fileKey]*fileLock
	known map[fileKey]reading
}

// A reading holds the ids of a notebook's cells when it was last read. If a file in nbformat
// 4.5 has cells without ids, jupyter-server generates new ones each time it reads the file.
// Files keeps the ids stable as long as the file does not change.
type reading struct {
	version version
	ids     []string
}

// maxKnown is the maximum number of notebooks in Files.known.
const maxKnown = 256

// recognise restores the ids of the cells of n from the last reading if the file has not
// changed. Otherwise, it stores them.
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
	f.known[key] = reading{v, n.ids()}
}

type fileKey struct {
	server Server
	path   string
}

type fileLock struct {
	held  chan struct{} // one slot
	users int           // number of goroutines that hold it or wait for it
}

// lock locks a file against other goroutines of this process. The error is the cause of ctx.
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

// A version identifies the content of a file.
type version struct {
	hash     string
	modified int64 // in nanoseconds; only if the server provides no hash
	size     int64 // likewise
}

func versionOf(m jupyter.ContentsModel) version {
	if m.Hash != "" {
		return version{hash: m.Hash}
	}
	return version{modified: m.LastModified.UnixNano(), size: m.Size}
}

// Read reads the notebook at path. It waits while this process writes the notebook: if
// jupyter-server reads a notebook that it is also writing, it takes the incomplete file for
// a damaged one and restores the previous version, and the write is silently lost
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

// settling is how long a file must not have changed before ReadSettled reads it. While a
// notebook is written, the time of its last change advances.
const settling = time.Second

// ReadSettled is [Files.Read] for somebody who has time: it waits while another program seems
// to write the notebook, because reading it then might undo the user's save (see Read). file
// is what Stat has returned. If the clocks of the server and of this machine differ, it may
// notice nothing.
func (f *Files) ReadSettled(ctx context.Context, s Server, path string, file jupyter.ContentsModel) (*Notebook, jupyter.ContentsModel,
	error,
) {
	for {
		rest := settling - time.Since(file.LastModified)
		if rest <= 0 || rest > 2*settling {
			n, err := f.Read(ctx, s, path)
			return n, file, err
		}
		pause := time.NewTimer(rest)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, file, context.Cause(ctx)
		}
		var err error
		if file, err = f.Stat(ctx, s, path); err != nil {
			return nil, file, err
		}
	}
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

// Number of attempts to read a notebook that seems incomplete, and the pause between them.
const (
	halfTries = 4
	halfPause = 100 * time.Millisecond
)

// contents gets a notebook. It retries if the file is not valid JSON, because
// jupyter-server truncates a file before it writes it (see
// jupyter_server.services.contents.fileio), and does not prevent reads in between.
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

// missing converts an error of the server to one that says what is at path instead of a
// notebook, if it can find out.
func missing(ctx context.Context, s Server, path string, err error) error {
	switch e, ok := errors.AsType[*jupyter.StatusError](err); {
	case ok && e.Status == http.StatusBadRequest:
		return &FormatError{Reason: unreadable(path, e.Message)}
	case ok && e.Status == http.StatusInternalServerError: // a parent of the path may be a file
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

// through returns the parent of path that is a file instead of a folder, or "".
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

// Stat returns the metadata of what is at path.
func (f *Files) Stat(ctx context.Context, s Server, path string) (jupyter.ContentsModel, error) {
	m, err := s.Contents(ctx, path, jupyter.ContentsQuery{})
	if err != nil {
		err = missing(ctx, s, path, err)
	}
	return m, err
}

// attempts is the number of times that an edit is applied if others change the notebook.
const attempts = 2

// Edit changes the notebook at path. It calls edit with the current version. If somebody
// else writes the notebook in the meantime, it calls edit again with the new version; edit
// must find its cells there or return ErrChanged. Before writing, Edit calls allow and stops
// if that returns an error. A notebook that edit leaves unchanged is not written.
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
	return fmt.Errorf("%w, repeatedly", ErrChanged)
}

// stat returns the version of a notebook without its content.
func stat(ctx context.Context, s Server, path string) (version, error) {
	m, err := s.Contents(ctx, path, jupyter.ContentsQuery{Type: "notebook", Hash: true})
	return versionOf(m), err
}

// keep writes a notebook, and repeats that until the file has changed, because a program
// such as JupyterLab that reads it at the same time may undo the write (see Read).
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
		return nil // the resolution of the times may be too coarse to see the write
	}
	return fmt.Errorf("%w, or the server does not store it", ErrChanged)
}

// writes is the number of attempts to write a notebook.
const writes = 4

func put(ctx context.Context, s Server, path string, content json.RawMessage) error {
	if err := jupyter.CheckNewNotebook(path); err != nil {
		return err
	}
	_, err := s.PutContents(ctx, path, jupyter.ContentsModel{Type: "notebook", Format: "json", Content: content})
	return err
}
