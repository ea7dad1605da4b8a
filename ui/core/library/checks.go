package library

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"easel/mcphost/catalog"
	"easel/ui/core/library/disk"
	"easel/ui/core/library/feed"
)

// A Check is the result of running the code of an image again.
type Check struct {
	catalog.Check
	ImageID string
	Fresh   StoredForm // the picture that the code drew; its Path is "" if there is none
}

// A checkRecord is the journal record of a Check.
type checkRecord struct {
	ID    string        `json:"id"`
	Check catalog.Check `json:"check"`
	Fresh *formRecord   `json:"fresh,omitempty"`
}

// Checks are the results of running the code of images again.
type Checks struct {
	s      *store
	images *Images
}

// Put stores the result of a check of an image and the picture that its code drew,
// which may be nil. It replaces an earlier result. It is deleted with the image. When
// Put returns, the result is on the disk. The error is ErrNotFound if the image does
// not exist.
func (k *Checks) Put(ctx context.Context, idOrURI string, c catalog.Check, fresh *Form) error {
	im, err := k.images.imageRow(ctx, idOrURI)
	if err != nil {
		return err
	}
	if c.At.IsZero() {
		c.At = k.s.now().UTC()
	}
	r := checkRecord{ID: im.id, Check: c}
	files := make(map[string]disk.File, 1)
	if fresh != nil && len(fresh.Data) > 0 {
		form, _, _ := k.s.files.newForm(*fresh)
		r.Fresh, files[form.name()] = &form, disk.File{Path: k.s.files.path(form), Data: fresh.Data}
		if err := k.images.makeRoom(ctx, files); err != nil {
			return err
		}
	}
	return k.s.writeWithFiles(ctx, files, func(t *tx) error {
		if err := t.hasImage(r.ID); err != nil {
			return err
		}
		return t.record(record{Check: &r})
	})
}

// applyCheck replaces the check of an image. It ignores one that is not newer, so that a
// journal can be replayed.
func (t *tx) applyCheck(r checkRecord) error {
	var at int64
	var former string
	err := t.row(`select coalesce(c.at, 0), coalesce(c.fresh, '') from images i left join checks c on c.image = i.id where i.id = ?`, r.ID).Scan(&at, &former)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // replayed, and purged later
	}
	if err != nil || at >= nanos(r.Check.At) {
		return err
	}
	body, err := json.Marshal(r.Check)
	if err != nil {
		return err
	}
	fresh := ""
	if r.Fresh != nil {
		b, _ := json.Marshal(r.Fresh) // strings and numbers cannot fail
		fresh = string(b)
		if err := t.ref(*r.Fresh); err != nil {
			return err
		}
	}
	_, err = t.exec(`insert into checks (image, at, status, fresh, body) values (?, ?, ?, ?, ?)
		on conflict (image) do update set at = excluded.at, status = excluded.status, fresh = excluded.fresh, body = excluded.body`,
		r.ID, nanos(r.Check.At), r.Check.Status, fresh, string(body))
	if err != nil {
		return err
	}
	t.changes.change(r.ID, feed.Check)
	return t.unrefFresh(former)
}

// dropCheck deletes the check of an image that is being purged.
func (t *tx) dropCheck(id string) error {
	var fresh string
	err := t.row(`delete from checks where image = ? returning fresh`, id).Scan(&fresh)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.unrefFresh(fresh)
}

func (t *tx) unrefFresh(fresh string) error {
	f, ok := parseFresh(fresh)
	if !ok {
		return nil
	}
	return t.unref(f)
}

func parseFresh(s string) (f formRecord, ok bool) {
	return f, s != "" && json.Unmarshal([]byte(s), &f) == nil
}

// Get returns the result of the last check of an image. The error is ErrNotFound if it
// was not checked.
func (k *Checks) Get(ctx context.Context, idOrURI string) (Check, error) {
	im, err := k.images.imageRow(ctx, idOrURI)
	if err != nil {
		return Check{}, err
	}
	r, err := scanCheck(k.s.ro.QueryRowContext(ctx, `select image, fresh, body from checks where image = ?`, im.id))
	if errors.Is(err, sql.ErrNoRows) {
		return Check{}, fmt.Errorf("%w: image %s was not checked", ErrNotFound, im.id)
	}
	if err != nil {
		return Check{}, k.s.noticed(err)
	}
	c := Check{Check: r.Check, ImageID: im.id}
	if r.Fresh != nil {
		c.Fresh = StoredForm{MIME: r.Fresh.MIME, Path: k.s.files.path(*r.Fresh), Bytes: r.Fresh.Bytes}
	}
	return c, nil
}

// Fresh returns the picture that the code of an image drew when it was checked. The
// error is ErrNotFound if there is none.
func (k *Checks) Fresh(ctx context.Context, c Check) ([]byte, error) {
	if c.Fresh.Path == "" {
		return nil, fmt.Errorf("%w: the check of image %s has no picture", ErrNotFound, c.ImageID)
	}
	return k.images.readForm(ctx, Image{Image: catalog.Image{ImageID: c.ImageID}}, c.Fresh)
}

func scanCheck(row scanner) (r checkRecord, err error) {
	var fresh, body string
	if err := row.Scan(&r.ID, &fresh, &body); err != nil {
		return r, err
	}
	if f, ok := parseFresh(fresh); ok {
		r.Fresh = &f
	}
	if err := json.Unmarshal([]byte(body), &r.Check); err != nil {
		return r, fmt.Errorf("check: %w", err)
	}
	return r, nil
}

func (d dump) checks() error {
	return d.each(`select image, fresh, body from checks`, func(row scanner) error {
		r, err := scanCheck(row)
		if err != nil {
			return err
		}
		return d.put(record{At: nanos(r.Check.At), Check: &r})
	})
}

// A DrawnFigure is a figure that an execution drew or updated: the ids of the versions
// that it drew, oldest first.
type DrawnFigure []string

// DrawnBy returns what an execution drew, in the order in which the figures were first
// displayed, including what is in the trash.
func (m *Images) DrawnBy(ctx context.Context, execution string) (figures []DrawnFigure, err error) {
	type row struct {
		id     string
		figure int64
	}
	rows, err := collect(ctx, m.s, func(s scanner) (r row, err error) {
		err = s.Scan(&r.id, &r.figure)
		return r, err
	}, `select id, figure from images where execution = ? and execution <> '' order by figure, id`, execution)
	for i, r := range rows {
		if i == 0 || rows[i-1].figure != r.figure {
			figures = append(figures, nil)
		}
		figures[len(figures)-1] = append(figures[len(figures)-1], r.id)
	}
	return figures, err
}

// RanBefore lists what ran in a kernel from its start up to an execution, in the order in
// which it ran. It includes what never ran, because it was cancelled in the queue.
func (x *Executions) RanBefore(ctx context.Context, e Execution) ([]Execution, error) {
	all, err := collect(ctx, x.s, scanExecution, `select code, body from executions where session = ? order by created, id`, e.SessionID)
	if err != nil {
		return nil, err
	}
	return ranUpTo(all, e), nil
}

// ranUpTo selects what ran in the kernel of e, up to e.
func ranUpTo(all []Execution, e Execution) []Execution {
	ran := slices.DeleteFunc(all, func(x Execution) bool {
		return x.ID != e.ID && (x.Generation != e.Generation || x.KernelID != e.KernelID || compareRan(x, e) > 0)
	})
	SortRan(ran)
	if i := slices.IndexFunc(ran, func(x Execution) bool { return x.ID == e.ID }); i >= 0 {
		ran = ran[:i+1]
	}
	return ran
}

// SortRan sorts executions of a session in the order in which they ran. The counter of a kernel knows
// that better than the clock, which may have been set back meanwhile.
func SortRan(xs []Execution) {
	slices.SortStableFunc(xs, func(a, b Execution) int { return cmp.Compare(began(a), began(b)) })
	type process struct {
		kernel     string
		generation int
	}
	counted := make(map[process][]int) // where they are
	for i, x := range xs {
		if x.Count > 0 {
			p := process{x.KernelID, x.Generation}
			counted[p] = append(counted[p], i)
		}
	}
	for _, at := range counted {
		sorted := make([]Execution, len(at))
		for j, i := range at {
			sorted[j] = xs[i]
		}
		slices.SortStableFunc(sorted, func(a, b Execution) int { return cmp.Compare(a.Count, b.Count) })
		for j, i := range at {
			xs[i] = sorted[j]
		}
	}
}

// compareRan compares when two executions of one kernel ran.
func compareRan(a, b Execution) int {
	if a.Count > 0 && b.Count > 0 && a.Count != b.Count {
		return cmp.Compare(a.Count, b.Count)
	}
	return cmp.Compare(began(a), began(b))
}

// began returns when an execution began, as far as that is known.
func began(x Execution) int64 {
	for _, t := range []int64{nanos(x.StartedAt), nanos(x.SentAt), nanos(x.CreatedAt)} {
		if t != 0 {
			return t
		}
	}
	return 0
}
