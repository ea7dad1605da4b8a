package notebooks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"easel/jupyter"
)

// Create writes a new notebook to path, and creates missing parent folders. It returns
// ErrExists if something is at path.
func (f *Files) Create(ctx context.Context, s Server, path string, n *Notebook) error {
	content, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := cmp.Or(jupyter.CheckNewNotebook(path), jupyter.CheckNewName(path)); err != nil { // before creating folders
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

// refused converts the error of a server that refuses to write to a path, for example
// because it is hidden, to a PathError. It returns other errors unchanged.
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

// Free returns an unused path for a new notebook: path, or path with a number appended.
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
