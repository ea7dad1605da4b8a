package gallery

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/picture"
	"easel/ui/core/state"
	"easel/ui/core/tools/past"
	"easel/ui/core/tools/plots"
)

func (g *Gallery) selectFile(ctx context.Context, in catalog.SelectFileIn) (catalog.SelectFileOut, error) {
	if in.Path == "" && len(in.Paths) == 0 {
		g.selected(ctx, nil, in) // the user clicked beside the files; the schema forbids it to clients
		return catalog.SelectFileOut{Result: catalog.OK, Selected: []catalog.File{}}, nil
	}
	images, err := g.targets(ctx, in.Path, in.Paths)
	if err != nil {
		return catalog.SelectFileOut{}, err
	}
	if images, err = g.newest(ctx, images); err != nil {
		return catalog.SelectFileOut{}, err
	}
	g.selected(ctx, idsOf(images), in)
	return catalog.SelectFileOut{Result: catalog.OK, Selected: fileList(images)}, nil
}

// chooser returns who makes the selection: the assistant, the user, or the window by itself
// if follow is set.
func chooser(ctx context.Context, follow bool) string {
	switch {
	case tool.CallerFrom(ctx).Transport != tool.Window:
		return catalog.ByAssistant
	case follow:
		return catalog.ByFollow
	default:
		return catalog.ByUser
	}
}

func (g *Gallery) selected(ctx context.Context, ids []string, in catalog.SelectFileIn) {
	g.update(ctx, func(s *state.Snapshot) {
		if in.Follow && (!s.Follows() || s.Mode == state.Viewer || s.Query.Narrows()) {
			return // somebody has chosen a plot, or searches, since the window asked
		}
		s.Selection, s.SelectedBy = ids, chooser(ctx, in.Follow)
		switch {
		case in.Current != "":
			s.Current = s.Newer(in.Current)
		case len(ids) > 0:
			s.Current = ids[len(ids)-1]
		}
	})
}

func (g *Gallery) setRating(ctx context.Context, in catalog.SetRatingIn) (catalog.FilesOut, error) {
	return g.edit(ctx, in.Path, in.Paths, command.Edit{Rating: in.Rating}, func(m *library.Marks) error { return m.SetRating(in.Rating) })
}

func (g *Gallery) setTags(ctx context.Context, in catalog.SetTagsIn) (catalog.FilesOut, error) {
	return g.edit(ctx, in.Path, in.Paths, command.Edit{}, func(m *library.Marks) error { return m.SetTags(in.Add, in.Remove) })
}

// edit changes the marks of images, updates the view and notifies the watchers.
func (g *Gallery) edit(ctx context.Context, path string, paths []string, e command.Edit, do func(*library.Marks) error) (catalog.FilesOut, error) {
	images, err := g.targets(ctx, path, paths)
	if err != nil {
		return catalog.FilesOut{}, err
	}
	if err := g.mark(ctx, e, images, "", do); err != nil {
		return catalog.FilesOut{}, err
	}
	if images, err = g.Library.Get(ctx, idsOf(images)...); err != nil {
		return catalog.FilesOut{}, err
	}
	return catalog.FilesOut{Result: catalog.OK, Files: fileList(images)}, nil
}

func (g *Gallery) currentFolder(ctx context.Context, _ catalog.GetCurrentFolderIn) (catalog.GetCurrentFolderOut, error) {
	v, err := g.view(ctx, g.Store.Snapshot())
	return catalog.GetCurrentFolderOut{Result: catalog.OK, Folder: v.Folder, View: v}, err
}

func (g *Gallery) selectedFiles(ctx context.Context, in catalog.GetSelectedFilesIn) (catalog.GetSelectedFilesOut, error) {
	out := catalog.GetSelectedFilesOut{Result: catalog.OK, Files: []catalog.SelectedFile{}, Pictured: in.IncludeImages}
	s := g.Store.Snapshot()
	ids := s.Selection
	if len(ids) == 0 {
		return out, nil
	}
	out.SelectedBy, out.Blind = s.SelectedBy, oversight.DeliveryTo(s, tool.CallerFrom(ctx), "").Blind
	if images, err := g.Library.Get(ctx, ids[0]); err == nil && len(images) == 1 {
		plots.Freshen(ctx, g.Cells, images[0].SessionID)
	}
	images, err := g.Library.Get(ctx, ids...)
	if err != nil {
		return out, err
	}
	drawn, err := g.drawnRegions(ctx, s)
	if err != nil {
		return out, err
	}
	pictures := 0
	for _, i := range images {
		if in.IncludeImages && pictures < catalog.MostPictures {
			if i.Damaged = g.examined.Damage(ctx, g.Library, i.Image); i.Damaged == "" {
				pictures++
			}
		}
		if g.Redrawable != nil && len(images) <= catalog.MostPictures {
			i.Redrawable = g.Redrawable(ctx, i, true)
		}
		f := catalog.SelectedFile{File: file(i), Code: i.Code, Client: i.Client}
		if r, ok := drawn[addressOf(i)]; ok {
			region := g.region(ctx, r.on, r.rect)
			if r.on.ImageID != i.ImageID {
				region.Text = "on an older version of the figure: " + region.Text
			}
			f.Region = &region
		}
		if f.Questions, err = g.questions(ctx, i); err != nil {
			return out, err
		}
		out.Files = append(out.Files, f)
		if in.IncludeImages && !out.Blind && len(out.Inline) < catalog.MostPictures && !i.Broken && i.Damaged == "" && i.MIMEType != picture.SVG && i.Interactive == "" {
			out.Inline = append(out.Inline, addressOf(i))
		}
	}
	if in.IncludeImages && !out.Blind {
		for _, f := range out.Files { // after the pictures, because those are what was asked for
			if f.Region != nil && f.Region.Crop != "" && len(out.Inline) < catalog.MostPictures {
				out.Inline = append(out.Inline, f.Region.Crop)
			}
		}
	}
	return out, nil
}

func (g *Gallery) filesInView(ctx context.Context, in catalog.GetFilesInViewIn) (catalog.GetFilesInViewOut, error) {
	var none catalog.GetFilesInViewOut
	s := g.Store.Snapshot()
	if s.Folder.Kind == state.OneSession {
		plots.Freshen(ctx, g.Cells, s.Folder.ID)
	}
	v, err := g.view(ctx, s)
	if err != nil {
		return none, err
	}
	ids, err := g.Library.IDs(ctx, collection.Query(s))
	if err != nil {
		return none, err
	}
	start := 0
	if in.Cursor != "" { // the id of the last file of the previous page, valid after new ones arrive
		at := slices.Index(ids, in.Cursor)
		if im, err := g.Library.Image(ctx, in.Cursor); at < 0 && err == nil {
			if now, err := g.newest(ctx, []library.Image{im}); err == nil { // updated since
				at = slices.Index(ids, now[0].ImageID)
			}
		}
		if at < 0 {
			return none, &tool.Error{Code: tool.Validation, Detail: "cursor is not the next_cursor of an earlier answer, or its file is no longer in view.", Fields: []tool.Field{{Pointer: "#/cursor", Detail: "unknown"}}}
		}
		start = at + 1
	}
	limit := in.Limit
	if limit <= 0 {
		limit = plots.PageFor(ctx)
	}
	page := ids[start:min(start+limit, len(ids))]
	images, err := g.Library.Get(ctx, page...)
	if err != nil {
		return none, err
	}
	out := catalog.GetFilesInViewOut{Result: catalog.OK, Files: fileList(images), Total: v.Count, Matching: v.Matching, View: v}
	if start+len(page) < len(ids) {
		out.NextCursor = page[len(page)-1]
	}
	return out, nil
}

// mostOutput is the number of bytes of each stream that get_prompt_info returns.
const mostOutput = 20_000

func (g *Gallery) promptInfo(ctx context.Context, in catalog.GetPromptInfoIn) (catalog.GetPromptInfoOut, error) {
	var none catalog.GetPromptInfoOut
	name := in.Path
	if name == "" {
		name = catalog.Selected
	}
	images, err := g.Resolve(ctx, name)
	if err != nil {
		return none, err
	}
	if len(images) == 0 {
		return none, notThere(name, library.ErrNotFound)
	}
	im := images[0]
	if im.SessionID != "" {
		plots.Freshen(ctx, g.Cells, im.SessionID)
		im.Cell = g.Cells.Cell(im.SessionID, im.ExecutionID)
	}
	if im.SessionID == "" && g.Directories != nil {
		return g.embedded(ctx, im)
	}
	if g.Redrawable != nil {
		im.Redrawable = g.Redrawable(ctx, im, true)
	}
	out := catalog.GetPromptInfoOut{
		Result: catalog.OK, File: file(im), Code: im.Code, SessionID: im.SessionID, Client: im.Client, ExecutionID: im.ExecutionID,
		Tags: im.Tags,
	}
	if s, err := g.Library.Session(ctx, im.SessionID); err == nil {
		out.Kernel, out.Language = s.KernelName, past.Language(s.KernelName)
	}
	x, err := g.Library.Execution(ctx, im.ExecutionID)
	if err != nil {
		return out, nil //nolint:nilerr // drawn by code that Easel did not run and knows nothing about
	}
	out.Code = x.Code
	if !x.StartedAt.IsZero() {
		at := x.StartedAt.UTC()
		out.StartedAt = &at
		if !x.EndedAt.IsZero() {
			out.ExecutionTimeMS = float64(x.EndedAt.Sub(x.StartedAt).Microseconds()) / 1000
		}
	}
	for stream, to := range map[string]*string{"stdout": &out.Stdout, "stderr": &out.Stderr} {
		text, total, err := g.Library.ReadOutput(ctx, x.ID, stream, 0, mostOutput)
		if err != nil {
			continue
		}
		*to = string(text)
		if more := total - int64(len(text)); more > 0 {
			*to += "\n… " + strconv.FormatInt(more, 10) + " bytes more"
		}
	}
	return out, nil
}

// embedded returns the prompt or the code that is embedded in a file on disk.
func (g *Gallery) embedded(ctx context.Context, im library.Image) (catalog.GetPromptInfoOut, error) {
	out := catalog.GetPromptInfoOut{Result: catalog.OK, File: file(im)}
	info, err := g.Directories.Prompt(ctx, im.ImageID)
	if err != nil {
		if errors.Is(err, library.ErrNotFound) {
			err = notThere(im.Path, err)
		}
		return out, err
	}
	out.Prompt, out.NegativePrompt, out.Model, out.Seed = info.Prompt, info.Negative, info.Model, info.Seed
	out.Parameters, out.Tags, out.Raw = info.Parameters, info.Tags, info.Raw
	if p := info.Easel; p != nil {
		out.Code, out.SessionID, out.Kernel, out.Client, out.ExecutionID = p.Code, p.Session, p.Kernel, p.Client, p.Execution
		out.Language, out.Raw = past.Language(p.Kernel), ""
	}
	return out, nil
}
