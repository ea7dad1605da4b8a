package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
)

// mostQuestions is how many questions about a file a result contains: the newest.
const mostQuestions = 5

// A QuestionLibrary stores the user's questions about images.
type QuestionLibrary interface {
	AddQuestion(ctx context.Context, q library.Question) (library.Question, error)
	Questions(ctx context.Context, image string) ([]library.Question, error)
	AnnounceQuestions(ctx context.Context, ids []string, client string) ([]library.Question, error)
	DeleteQuestion(ctx context.Context, id string) error
}

// askQuestion stores what the user asks about a region.
func (g *gallery) askQuestion(ctx context.Context, in command.AskQuestionIn) (catalog.Question, error) {
	im, err := g.Library.Image(ctx, in.ID)
	if err != nil {
		return catalog.Question{}, err
	}
	r := within(in.Rect, im)
	if r.Empty() {
		return catalog.Question{}, &tool.Error{Code: tool.Validation, Detail: "The region is outside of the picture."}
	}
	q, err := g.Library.AddQuestion(ctx, library.Question{
		Image: im.ImageID, Session: im.SessionID, URI: cmp.Or(im.ResourceURI, im.Path), Rect: r,
		Region: g.region(ctx, im, r).Text, Words: in.Words,
	})
	if err != nil {
		return catalog.Question{}, err
	}
	return question(q), nil
}

func (g *gallery) deleteQuestion(ctx context.Context, id string) (struct{}, error) {
	return struct{}{}, g.Library.DeleteQuestion(ctx, id)
}

func question(q library.Question) catalog.Question {
	out := catalog.Question{ID: q.ID, Words: q.Words, Plot: q.URI, Region: q.Region, AskedAt: q.CreatedAt, AnnouncedTo: q.AnnouncedTo}
	if strings.HasPrefix(q.URI, "jupyter://") {
		out.Crop = catalog.CropURI(q.URI, q.Rect)
	}
	if !q.AnnouncedAt.IsZero() {
		out.AnnouncedAt = &q.AnnouncedAt
	}
	return out
}

// questions returns the newest questions about an image. An assistant that gets them has been
// told of them.
func (g *gallery) questions(ctx context.Context, im library.Image) (list []catalog.Question, err error) {
	all, err := g.Library.Questions(ctx, im.ImageID)
	if err != nil {
		return nil, err
	}
	all = all[max(0, len(all)-mostQuestions):]
	if caller := tool.CallerFrom(ctx); caller.Transport == tool.MCP {
		var open []string
		for _, q := range all {
			if q.AnnouncedAt.IsZero() {
				open = append(open, q.ID)
			}
		}
		told, err := g.Library.AnnounceQuestions(ctx, open, caller.String())
		if err != nil {
			return nil, err
		}
		for _, q := range told {
			all[slices.IndexFunc(all, func(o library.Question) bool { return o.ID == q.ID })] = q
		}
	}
	for _, q := range all {
		list = append(list, question(q))
	}
	return list, nil
}

// askAboutSelection fills in the prompt that asks about the selected region.
func (b *bodies) askAboutSelection(ctx context.Context, asked string) (catalog.GetPromptOut, error) {
	var out catalog.GetPromptOut
	sel, err := catalog.GetSelectedFiles.Ask(ctx, b.Bus, catalog.GetSelectedFilesIn{})
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(sel.Files, func(f catalog.SelectedFile) bool { return f.Region != nil || len(f.Questions) > 0 })
	if i < 0 {
		return out, &tool.Error{
			Code: tool.NotExecutable, Detail: "No part of a plot is selected in Easel's window.",
			Hint: "Open a plot there, draw a rectangle on it with Shift held down, and use the prompt again.",
		}
	}
	f := sel.Files[i]
	region, crop := "", ""
	if n := len(f.Questions); asked == "" && n > 0 {
		q := f.Questions[n-1]
		asked, region, crop = q.Words, q.Region, q.Crop
	} else if f.Region != nil {
		region, crop = f.Region.Text, f.Region.Crop
	}
	var t strings.Builder
	t.WriteString(cmp.Or(asked, "What does this part of the plot show?"))
	fmt.Fprintf(&t, "\n\nThis is about a part of the plot %q (%s).", f.Name, cmp.Or(f.ResourceURI, f.Path))
	if region != "" {
		fmt.Fprintf(&t, " The part: %s.", region)
	}
	if f.SessionID != "" {
		t.WriteString(" " + sessionLine(f.SessionID, b.alive(ctx)))
	}
	if f.Code != "" {
		fmt.Fprintf(&t, "\n\nThe plot was drawn by:\n\n%s", fenced("python", shortened(f.Code, headBytes)))
	}
	out.Description = "Ask about a part of " + f.Name
	out.Messages = []catalog.PromptMessage{{Text: t.String()}}
	if crop != "" {
		out.Messages = append(out.Messages, catalog.PromptMessage{Image: crop})
	}
	if uri := cmp.Or(f.ResourceURI, f.ImageID); f.Interactive == "" {
		out.Messages = append(out.Messages, catalog.PromptMessage{Image: uri})
	}
	return out, nil
}
