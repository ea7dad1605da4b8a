package gallery

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/cells"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/language"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/picture"
	"easel/ui/core/state"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/plots"
)

// A reader tells callers what the window shows.
type reader struct {
	library     Library
	kept        *library.Library
	store       *state.Store
	directories Directories
	cells       *cells.Cells
	sayWay      func(ctx context.Context, im *library.Image)
	facts       func(ctx context.Context, im *library.Image)
	compare     func(ctx context.Context, before, after library.Image) command.Differences
	settle      func(ctx context.Context, session, execution string)
	find        *Finder
	views       *views
	regions     *regions
	questions   *plotQuestions

	examined plots.Examinations
}

func (g *reader) currentFolder(ctx context.Context, _ catalog.GetCurrentFolderIn) (catalog.GetCurrentFolderOut, error) {
	v, err := g.views.view(ctx, g.store.Snapshot())
	return catalog.GetCurrentFolderOut{Result: catalog.OK, Folder: v.Folder, View: v}, err
}

func (g *reader) selectedFiles(ctx context.Context, in catalog.GetSelectedFilesIn) (catalog.GetSelectedFilesOut, error) {
	out := catalog.GetSelectedFilesOut{Result: catalog.OK, Files: []catalog.SelectedFile{}, Pictured: in.IncludeImages}
	s := g.store.Snapshot()
	ids := s.Selection
	if len(ids) == 0 {
		return out, nil
	}
	out.SelectedBy, out.Blind = s.SelectedBy, oversight.DeliveryTo(s, tool.CallerFrom(ctx), "").Blind
	if images, err := g.library.Get(ctx, ids[0]); err == nil && len(images) == 1 {
		plots.Freshen(ctx, g.cells, images[0].SessionID)
	}
	images, err := g.library.Get(ctx, ids...)
	if err != nil {
		return out, err
	}
	drawn, err := g.regions.drawnRegions(ctx, s)
	if err != nil {
		return out, err
	}
	pictures := 0
	for _, i := range images {
		if in.IncludeImages && pictures < catalog.MostPictures {
			if i.Damaged = g.examined.Damage(ctx, g.library, i.Image); i.Damaged == "" {
				pictures++
			}
		}
		if g.sayWay != nil && len(images) <= catalog.MostPictures {
			g.sayWay(ctx, &i)
		}
		f := catalog.SelectedFile{File: file(i), Code: i.Code, Client: i.Client}
		if r, ok := drawn[addressOf(i)]; ok {
			region := g.regions.region(ctx, r.on, r.rect)
			if r.on.ImageID != i.ImageID {
				region.Text = "on an older version of the figure: " + region.Text
			}
			f.Region = &region
		}
		if f.Questions, err = g.questions.questions(ctx, i); err != nil {
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

func (g *reader) filesInView(ctx context.Context, in catalog.GetFilesInViewIn) (catalog.GetFilesInViewOut, error) {
	var none catalog.GetFilesInViewOut
	if err := g.find.listed(ctx); err != nil {
		return none, err
	}
	s := g.store.Snapshot()
	if s.Folder.Kind == state.OneSession {
		plots.Freshen(ctx, g.cells, s.Folder.ID)
	}
	v, err := g.views.view(ctx, s)
	if err != nil {
		return none, err
	}
	ids, err := g.library.IDs(ctx, collection.Query(s))
	if err != nil {
		return none, err
	}
	start := 0
	if in.Cursor != "" { // the id of the last file of the previous page, valid after new ones arrive
		at := slices.Index(ids, in.Cursor)
		if im, err := g.library.Image(ctx, in.Cursor); at < 0 && err == nil {
			if now, err := g.find.newest(ctx, []library.Image{im}); err == nil { // updated since
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
	images, err := g.library.Get(ctx, page...)
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

// settleTime is how long get_prompt_info waits for the environment of a plot that was just drawn.
const settleTime = 5 * time.Second

func (g *reader) promptInfo(ctx context.Context, in catalog.GetPromptInfoIn) (catalog.GetPromptInfoOut, error) {
	var none catalog.GetPromptInfoOut
	name := cmp.Or(in.Path, catalog.Selected)
	images, err := g.find.Resolve(ctx, name)
	if err != nil {
		return none, err
	}
	if len(images) == 0 {
		return none, notThere(name, library.ErrNotFound)
	}
	im := images[0]
	if im.SessionID != "" {
		plots.Freshen(ctx, g.cells, im.SessionID)
		im.Cell = g.cells.Cell(im.SessionID, im.ExecutionID)
	}
	if im.SessionID == "" && g.directories != nil {
		if in.CompareWith != "" {
			return none, codes.BadValue("compare_with", "is for plots of sessions, and this is a file on disk")
		}
		return g.embedded(ctx, im)
	}
	if g.sayWay != nil {
		g.sayWay(ctx, &im)
	}
	if g.facts != nil {
		g.facts(ctx, &im)
	}
	var differences *catalog.Differences
	if in.CompareWith != "" {
		if differences, err = g.differences(ctx, im, in.CompareWith); err != nil {
			return none, err
		}
	}
	out := catalog.GetPromptInfoOut{
		Differences: differences,
		Result:      catalog.OK, File: file(im), Code: im.Code, SessionID: im.SessionID, Client: im.Client, ExecutionID: im.ExecutionID,
		Tags: im.Tags,
	}
	if s, err := g.kept.Sessions.Get(ctx, im.SessionID); err == nil {
		out.Kernel, out.Language = s.KernelName, language.Guess(s.KernelName)
	}
	g.awaitEnvironment(ctx, im)
	x, err := g.kept.Executions.Get(ctx, im.ExecutionID)
	if err != nil {
		return out, nil //nolint:nilerr // drawn by code that Easel did not run and knows nothing about
	}
	out.Code = x.Code
	if env, err := g.kept.Executions.Environment(ctx, x); err == nil {
		out.Environment = &env
	}
	if !x.StartedAt.IsZero() {
		at := x.StartedAt.UTC()
		out.StartedAt = &at
		if !x.EndedAt.IsZero() {
			out.ExecutionTimeMS = float64(x.EndedAt.Sub(x.StartedAt).Microseconds()) / 1000
		}
	}
	out.Stdout, out.Stderr = g.printed(ctx, x.ID, "stdout"), g.printed(ctx, x.ID, "stderr")
	return out, nil
}

// awaitEnvironment waits for the environment of a plot, which is recorded only after the plot is shown.
func (g *reader) awaitEnvironment(ctx context.Context, im library.Image) {
	if g.settle == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	g.settle(ctx, im.SessionID, im.ExecutionID)
}

// printed returns the beginning of what an execution printed to a stream.
func (g *reader) printed(ctx context.Context, execution, stream string) string {
	text, total, err := g.kept.Output.Read(ctx, execution, stream, 0, mostOutput)
	if err != nil {
		return ""
	}
	if more := total - int64(len(text)); more > 0 {
		return string(text) + "\n… " + strconv.FormatInt(more, 10) + " bytes more"
	}
	return string(text)
}

// embedded returns the prompt or the code that is embedded in a file on disk.
func (g *reader) embedded(ctx context.Context, im library.Image) (catalog.GetPromptInfoOut, error) {
	out := catalog.GetPromptInfoOut{Result: catalog.OK, File: file(im)}
	info, err := g.directories.Prompt(ctx, im.ImageID)
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
		out.Language, out.Raw = language.Guess(p.Kernel), ""
	}
	return out, nil
}
