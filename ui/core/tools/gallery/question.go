package gallery

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
)

// mostQuestions is how many questions about a file a result contains: the newest.
const mostQuestions = 5

// plotQuestions are the user's questions about regions and tables.
type plotQuestions struct {
	library Library
	stored  *library.Questions
	regions *regions
}

// askQuestion stores what the user asks about a region.
func (g *plotQuestions) askQuestion(ctx context.Context, in command.AskQuestionIn) (catalog.Question, error) {
	im, err := g.library.Image(ctx, in.ID)
	if err != nil {
		return catalog.Question{}, err
	}
	if in.Rect = within(in.Rect, im); in.Rect.Empty() {
		return catalog.Question{}, &tool.Error{Code: tool.Validation, Detail: "The region is outside of the picture."}
	}
	meant := g.regions.mark(ctx, im, in.Mark)
	q, err := g.stored.Add(ctx, library.Question{
		Image: im.ImageID, Session: im.SessionID, URI: cmp.Or(im.ResourceURI, im.Path), Mark: in.Mark,
		Region: meant.Text, Axes: meant.Axes, Words: in.Words,
	})
	if err != nil {
		return catalog.Question{}, err
	}
	return question(q), nil
}

// longestValue is the largest length of a label or a value in a question about a table, in bytes.
const longestValue = 1_000

// askAboutTable stores what the user asks about a cell or a column.
func (g *plotQuestions) askAboutTable(ctx context.Context, in command.AskAboutTableIn) (catalog.Question, error) {
	place := in.Place
	place.Column = truncate.Middle(place.Column, longestValue)
	if place.Row != nil {
		row := *place.Row
		row.Label, row.Value = truncate.Middle(row.Label, longestValue), shortened(row.Value)
		place.Row = &row
	}
	place.Filters = slices.Clone(place.Filters)
	for i, f := range place.Filters {
		place.Filters[i].Value = shortened(f.Value)
	}
	q, err := g.stored.Add(ctx, library.Question{
		Session: place.SessionID, Table: &place, Region: truncate.Middle(in.Text, 3*longestValue), Words: in.Words,
	})
	if err != nil {
		return catalog.Question{}, err
	}
	return question(q), nil
}

// shortened returns a value with the middle of a long text left out.
func shortened(raw json.RawMessage) json.RawMessage {
	var text string
	if len(raw) <= longestValue || json.Unmarshal(raw, &text) != nil {
		return raw
	}
	short, _ := json.Marshal(truncate.Middle(text, longestValue)) // cannot fail for a string
	return short
}

// ofTable returns the questions about a table.
func (g *plotQuestions) ofTable(ctx context.Context, in command.TableRef) (list []catalog.Question, err error) {
	all, err := g.stored.OfTable(ctx, in.SessionID, in.Name)
	for _, q := range all {
		list = append(list, question(q))
	}
	return list, err
}

func (g *plotQuestions) deleteQuestion(ctx context.Context, id string) (struct{}, error) {
	return struct{}{}, g.stored.Delete(ctx, id)
}

func (g *plotQuestions) setState(ctx context.Context, in command.QuestionStateIn) (struct{}, error) {
	return struct{}{}, g.stored.SetState(ctx, in.ID, in.State)
}

func question(q library.Question) catalog.Question {
	out := catalog.Question{
		ID: q.ID, Number: q.Number, Shape: q.Shape, State: q.State, Words: q.Words, Plot: q.URI, Region: q.Region, Axes: q.Axes, Table: q.Table,
		AskedAt: q.CreatedAt, AnnouncedTo: q.AnnouncedTo,
	}
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
func (g *plotQuestions) questions(ctx context.Context, im library.Image) (list []catalog.Question, err error) {
	all, err := g.stored.About(ctx, im.ImageID)
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
		told, err := g.stored.Announce(ctx, open, caller.String())
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

// Questions are the user's questions about plots; see run.Questions.
type Questions struct {
	Library *library.Questions
}

// Open returns the questions that no assistant has been told.
func (q Questions) Open(ctx context.Context) ([]library.Question, error) {
	return q.Library.Open(ctx)
}

// Announce notes that a client is told questions, and returns them.
func (q Questions) Announce(ctx context.Context, ids []string, client string) ([]catalog.Question, error) {
	told, err := q.Library.Announce(ctx, ids, client)
	var list []catalog.Question
	for _, t := range told {
		list = append(list, question(t))
	}
	return list, err
}
