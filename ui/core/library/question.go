package library

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"easel/mcphost/catalog"
)

// MaxQuestion is the largest length of a question's words, in characters.
const MaxQuestion = 4_000

// mostAnnounced is how many questions an assistant is told at once.
const mostAnnounced = 3

// A Question is what the user asks or remarks about a place in an image, or in a table.
type Question struct {
	ID      string              `json:"id"`
	Image   string              `json:"image"`   // id; empty: the question is about Table
	Session string              `json:"session"` // that drew the image, or has the table; empty for a file on disk
	URI     string              `json:"uri"`     // of the image, or the path of its file
	Table   *catalog.TablePlace `json:"table,omitempty"`
	catalog.Mark
	Number      int                   `json:"number,omitempty"` // among those of the figure, from 1; 0 for a table
	State       catalog.QuestionState `json:"state,omitempty"`
	Region      string                `json:"region"`         // the mark in words, with the coordinates of the data
	Axes        []catalog.RegionAxes  `json:"axes,omitempty"` // the same as numbers
	Words       string                `json:"words"`
	CreatedAt   time.Time             `json:"created_at"`
	AnnouncedTo string                `json:"announced_to,omitempty"` // client that was told first
	AnnouncedAt time.Time             `json:"announced_at,omitzero"`
}

// Questions are the user's questions about images and tables.
type Questions struct{ s *store }

// Add stores a question about an image or a table and returns it with its id. When it returns,
// the question is on the disk. The error is ErrInvalid if there are no words or too many.
func (r *Questions) Add(ctx context.Context, q Question) (Question, error) {
	q.Words = strings.TrimSpace(strings.ToValidUTF8(q.Words, "�"))
	switch {
	case q.Words == "":
		return Question{}, fmt.Errorf("%w: a question without words", ErrInvalid)
	case utf8.RuneCountInString(q.Words) > MaxQuestion:
		return Question{}, fmt.Errorf("%w: question longer than %d characters", ErrInvalid, MaxQuestion)
	case (q.Image == "") == (q.Table == nil):
		return Question{}, fmt.Errorf("%w: a question about neither an image nor a table, or about both", ErrInvalid)
	}
	q.CreatedAt = r.s.now().UTC()
	q.ID, q.AnnouncedTo, q.AnnouncedAt, q.State = r.s.newID(q.CreatedAt), "", time.Time{}, catalog.QuestionOpen
	err := r.s.write(ctx, survivesPowerLoss, func(t *tx) error {
		if q.Table != nil {
			return t.record(record{Question: &q})
		}
		row := t.row(`select coalesce(max(json_extract(body, '$.number')), 0) + 1 from questions where `+ofFigure, q.Image)
		if err := row.Scan(&q.Number); err != nil {
			return err
		}
		return t.record(record{Question: &q})
	})
	return q, err
}

// ofFigure is the condition for questions about an image and the other versions of its figure.
const ofFigure = `(image = ?1 or image in (select id from images where figure = (select figure from images where id = ?1)))`

// SetState says how far the user is with a question. It does nothing if there is none.
func (r *Questions) SetState(ctx context.Context, id string, to catalog.QuestionState) error {
	if to != catalog.QuestionOpen && to != catalog.QuestionAnswered && to != catalog.QuestionDone {
		return fmt.Errorf("%w: question state %q", ErrInvalid, to)
	}
	return r.s.write(ctx, survivesPowerLoss, func(t *tx) error {
		q, err := scanQuestion(t.row(`select body from questions where id = ?`, id))
		if errors.Is(err, sql.ErrNoRows) || err == nil && q.State == to {
			return nil
		}
		if err != nil {
			return err
		}
		q.State = to
		return t.record(record{Question: &q})
	})
}

// About returns the questions about an image and the other versions of its figure, oldest
// first.
func (r *Questions) About(ctx context.Context, image string) ([]Question, error) {
	return collect(ctx, r.s, scanQuestion, `select body from questions where `+ofFigure+` order by id`, image)
}

// OfTable returns the questions about a variable of a session, oldest first.
func (r *Questions) OfTable(ctx context.Context, session, variable string) ([]Question, error) {
	return collect(ctx, r.s, scanQuestion, `select body from questions where image = '' and json_extract(body, '$.session') = ?
		and json_extract(body, '$.table.variable') = ? order by id`, session, variable)
}

// Open returns the open questions that no assistant was told, oldest first, without those
// about images in the trash, which nobody can read.
func (r *Questions) Open(ctx context.Context) ([]Question, error) {
	return collect(ctx, r.s, scanQuestion, `select body from questions where announced = 0 and json_extract(body, '$.state') is null
		and image not in (select id from images where trashed > 0) order by id`)
}

func scanQuestion(row scanner) (q Question, err error) {
	var body string
	if err := row.Scan(&body); err != nil {
		return q, err
	}
	return q, json.Unmarshal([]byte(body), &q)
}

// Announce marks questions as told to a client, and returns those that were not told
// before, at most a few. When it returns, that is on the disk, so that no question is told twice.
func (r *Questions) Announce(ctx context.Context, ids []string, client string) (told []Question, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = r.s.write(ctx, survivesPowerLoss, func(t *tx) error {
		for _, id := range ids[:min(len(ids), mostAnnounced)] {
			q, err := scanQuestion(t.row(`select body from questions where id = ? and announced = 0`, id))
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			q.AnnouncedTo, q.AnnouncedAt = client, t.s.now().UTC()
			if err := t.record(record{Question: &q}); err != nil {
				return err
			}
			told = append(told, q)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return told, nil
}

// Delete deletes a question. It does nothing if there is none.
func (r *Questions) Delete(ctx context.Context, id string) error {
	return r.s.write(ctx, survivesPowerLoss, func(t *tx) error {
		var there int
		if err := t.row(`select 1 from questions where id = ?`, id).Scan(&there); errors.Is(err, sql.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		return t.record(record{Unask: []string{id}})
	})
}

func (t *tx) applyQuestion(q Question) error {
	body, err := json.Marshal(q)
	if err != nil {
		return err
	}
	if q.Image != "" {
		if err := t.changes.shownWith([]string{q.Image}); err != nil {
			return err
		}
	}
	_, err = t.exec(`insert into questions (id, image, announced, body) values (?, ?, ?, ?)
		on conflict (id) do update set announced = excluded.announced, body = excluded.body`,
		q.ID, q.Image, nanos(q.AnnouncedAt), string(body))
	return err
}

func (t *tx) applyUnask(ids []string) error {
	var images []string
	err := t.each(`delete from questions where id in (select value from json_each(?)) returning image`, func(row scanner) error {
		id, err := scanID(row)
		if id != "" {
			images = append(images, id)
		}
		return err
	}, list(ids))
	return errors.Join(err, t.changes.shownWith(images))
}

func (d dump) questions() error {
	var all []Question
	err := d.each(`select body from questions order by seq`, func(row scanner) error {
		q, err := scanQuestion(row)
		all = append(all, q)
		return err
	})
	if err != nil {
		return err
	}
	for q := range slices.Values(all) {
		if err := d.put(record{At: nanos(q.CreatedAt), Question: &q}); err != nil {
			return err
		}
	}
	return nil
}
