package notebook

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/datafile"
	"easel/ui/core/notebooks"
	"easel/ui/core/private"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/paths"
)

// Limits of files.
const (
	maxEntries = 2_000    // of a folder
	maxRead    = 32 << 20 // bytes of a file; the server can only return whole files
)

// fileError converts an error about a file to a tool.Error if it knows it.
func fileError(at place, err error) error {
	switch _, bad := errors.AsType[*jupyter.PathError](err); {
	case bad:
		return codes.Path("path", err)
	case errors.Is(err, notebooks.ErrNoContents):
		return codes.NoContents(err)
	case errors.Is(err, notebooks.ErrNotFound), errors.Is(err, jupyter.ErrNotFound):
		return &tool.Error{Code: tool.FileNotFound, Detail: fmt.Sprintf("There is no file or folder %q in %s.", at.path, paths.RootOf(at.Host)), Hint: "file_list shows the existing files. Hidden files are not served.", Err: err}
	}
	if e, ok := errors.AsType[*jupyter.StatusError](err); ok && e.Status == http.StatusBadRequest {
		return &tool.Error{Code: tool.Unsupported, Detail: fmt.Sprintf("The server does not read %q: %s", at.path, e.Message), Hint: "It may be a device or a pipe. file_list shows the files.", Err: err}
	}
	return err
}

// A fileReader lists folders and reads files of Jupyter servers.
type fileReader struct {
	find    *finder
	files   *notebooks.Files
	private *private.Directory
}

func (n *fileReader) fileList(ctx context.Context, in catalog.FileListIn) (catalog.FileListOut, error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	out := catalog.FileListOut{Result: catalog.OK, Contents: []catalog.FileEntry{}}
	at, err := n.find.find(ctx, in.Server, in.Path)
	if err != nil {
		return out, err
	}
	m, err := n.files.Stat(ctx, at.Client, at.path)
	if err != nil {
		return out, fileError(at, err)
	}
	if m.Type != "directory" {
		return out, codes.BadPath(fmt.Sprintf("is a %s: read it with file_read or notebook_read", m.Type))
	}
	m, err = at.Client.Contents(ctx, at.path, jupyter.ContentsQuery{Type: "directory", Content: true})
	if err != nil {
		return out, fileError(at, err)
	}
	entries, err := m.Entries()
	if err != nil {
		return out, fmt.Errorf("listing %q: %w", at.path, err)
	}
	slices.SortFunc(entries, func(a, b jupyter.ContentsModel) int {
		if (a.Type == "directory") != (b.Type == "directory") {
			if a.Type == "directory" {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	for _, e := range entries[:min(len(entries), maxEntries)] {
		entry := catalog.FileEntry{Name: e.Name, Type: e.Type, Size: e.Size}
		if !e.LastModified.IsZero() {
			t := e.LastModified.UTC()
			entry.ModifiedAt = &t
		}
		out.Contents = append(out.Contents, entry)
	}
	if len(entries) > maxEntries {
		out.Total = len(entries)
	}
	out.Path, out.Server, out.LinkTarget = cmp.Or(at.own(), "/"), at.Name, at.led()
	if out.Hint = n.find.paths.TellAstray(ctx, in.Server, in.Path); !at.Client.Elsewhere() {
		out.Folder = at.Client.Disk(at.own())
	}
	return out, nil
}

func (n *fileReader) fileRead(ctx context.Context, in catalog.FileReadIn) (catalog.FileReadOut, error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	out := catalog.FileReadOut{Result: catalog.OK}
	at, err := n.find.find(ctx, "", in.Path)
	if err != nil {
		return out, err
	}
	data, err := n.fileBytes(ctx, at)
	if err != nil {
		return out, n.astray(ctx, in.Path, err)
	}
	if n.private.HasCopy(data) { // on a server whose disk is unknown here
		return out, codes.BadPath(private.Reason)
	}
	out.Path, out.Server, out.LinkTarget, out.Size = at.own(), at.Name, at.led(), int64(len(data))
	c, err := datafile.Read(ctx, at.own(), data, datafile.Limits{Text: in.MaxBytes, Rows: in.Rows})
	if e, ok := errors.AsType[*datafile.BinaryError](err); ok {
		return out, &tool.Error{
			Code: tool.Unsupported, Detail: fmt.Sprintf("%q cannot be shown as text or table: %v, %d bytes.", at.path, e, len(data)),
			Hint: "Read it with code in a session (execute_code); open_folder shows a folder of pictures to the user.", Err: err,
		}
	}
	if err != nil && ctx.Err() != nil {
		return out, fmt.Errorf("reading %q: %w", at.path, ctx.Err())
	}
	if err != nil {
		return out, &tool.Error{Code: tool.Unsupported, Detail: fmt.Sprintf("%q cannot be read: %v.", at.path, err), Err: err}
	}
	out.Kind, out.Encoding, out.Guess, out.Or, out.Notes, out.Truncated = c.Kind, c.Encoding, c.Guess, c.Or, c.Notes, c.Cut
	if hint := n.find.paths.TellAstray(ctx, "", in.Path); hint != "" {
		out.Notes = append(out.Notes, hint)
	}
	if t := c.Table; t != nil {
		out.Columns, out.Rows, out.TotalRows, out.Sheets = t.Columns, t.Rows, &t.Total, t.Sheets
		out.Notes = append(out.Notes, t.Notes...)
		out.Truncated = c.Cut || int64(len(t.Rows)) < t.Total
		if c.Kind == "csv" || c.Kind == "tsv" {
			out.Delimiter, out.Decimal = c.CSV.Delimiter, c.CSV.Decimal
			out.Pandas = c.CSV.Pandas(cmp.Or(at.Client.Disk(at.own()), at.own()))
		}
		return out, nil
	}
	out.Text = &c.Text
	if strings.HasSuffix(at.path, ".ipynb") {
		out.Notes = append(out.Notes, "notebook_read gives the cells of a notebook")
	}
	return out, nil
}

// astray adds to an error that says that there is no such file why it was not looked for where the caller was started.
func (n *fileReader) astray(ctx context.Context, path string, err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Code != tool.FileNotFound {
		return err
	}
	said := *e
	said.Hint = strings.TrimSpace(n.find.paths.TellAstray(ctx, "", path) + " " + e.Hint)
	return &said
}

// fileBytes reads a whole file of at most maxRead bytes.
func (n *fileReader) fileBytes(ctx context.Context, at place) ([]byte, error) {
	m, err := n.files.Stat(ctx, at.Client, at.path)
	if err != nil {
		return nil, fileError(at, err)
	}
	switch {
	case m.Type == "directory":
		return nil, codes.BadPath("is a folder: file_list lists it")
	case m.Size > maxRead:
		return nil, &tool.Error{
			Code: tool.Unsupported, Detail: fmt.Sprintf("%q has %d bytes; files up to %d MiB are read here.", at.path, m.Size, maxRead>>20),
			Hint: "Read a part of it with code in a session, for example pandas.read_csv(path, nrows=100).",
		}
	}
	m, err = at.Client.Contents(ctx, at.path, jupyter.ContentsQuery{Type: "file", Format: "base64", Content: true})
	if err != nil {
		return nil, fileError(at, err)
	}
	var text string
	if err := json.Unmarshal(m.Content, &text); err != nil {
		return nil, fmt.Errorf("reading %q: %w", at.path, err)
	}
	if m.Format != "base64" {
		return []byte(text), nil
	}
	data, err := base64.StdEncoding.DecodeString(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, text))
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", at.path, err)
	}
	return data, nil
}
