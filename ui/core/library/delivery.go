package library

import (
	"context"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library/feed"
)

// A Delivery is the most that a client got of an image, as far as its model can see it.
type Delivery struct {
	Client        string // name without version
	How           string // one of catalog.SentHow; "" if it got nothing
	Width, Height int    // of the picture that was sent, in pixels
	Bytes         int64
	At            time.Time // when it was sent last in this way
}

// delivered stores what the client of a call got of images. It is told only what is new.
func (t *tx) delivered(a catalog.Activity) error {
	client := receiver(a)
	for _, s := range a.Sent {
		same, err := t.there(`select 1 from deliveries where image = ? and client = ? and how = ? and width = ? and height = ?`,
			s.ImageID, client, s.How, s.Width, s.Height)
		if err != nil {
			return err
		}
		if _, err := t.exec(`insert into deliveries (image, client, how, width, height, bytes, at)
			select ?1, ?2, ?3, ?4, ?5, ?6, ?7 where exists (select 1 from images where id = ?1)
			on conflict (image, client, how) do update set width = excluded.width, height = excluded.height,
				bytes = excluded.bytes, at = excluded.at where excluded.at >= at`,
			s.ImageID, client, s.How, s.Width, s.Height, s.Bytes, nanos(a.Ended)); err != nil {
			return err
		}
		if !same {
			t.changes.change(s.ImageID, feed.Detail)
		}
	}
	return nil
}

// receiver returns the name under which deliveries to the client of a call are stored.
func receiver(a catalog.Activity) string {
	name := a.Name
	if a.Transport == string(tool.REST) { // a User-Agent: product/version (comment) …
		name, _, _ = strings.Cut(name, "/")
		name, _, _ = strings.Cut(name, " ")
	}
	if name == "" {
		name = a.Transport
	}
	return name
}

// Deliveries returns what clients got of an image, once for each client, in the order in which they
// got it. At the end are the clients that got nothing, although they worked in its session when it was
// drawn.
func (m *Images) Deliveries(ctx context.Context, id string) ([]Delivery, error) {
	all, err := collect(ctx, m.s, func(row scanner) (d Delivery, err error) {
		var at int64
		err = row.Scan(&d.Client, &d.How, &d.Width, &d.Height, &d.Bytes, &at)
		d.At = time.Unix(0, at).UTC()
		return d, err
	}, `select client, how, width, height, bytes, at from deliveries where image = ? order by at`, id)
	if err != nil {
		return nil, err
	}
	var most []Delivery
	for _, d := range all {
		i := slices.IndexFunc(most, func(o Delivery) bool { return o.Client == d.Client })
		switch {
		case i < 0:
			most = append(most, d)
		case slices.Index(catalog.SentHow, d.How) <= slices.Index(catalog.SentHow, most[i].How):
			most[i] = d
		}
	}
	names, err := collect(ctx, m.s, scanID, `select distinct json_extract(a.body, '$.Name') as name from images i
		join sessions s on s.seq = i.session_seq join activities a on a.session = s.id and a.began <= i.created
		where i.id = ? and json_extract(a.body, '$.Transport') = 'mcp' and json_extract(a.body, '$.TextBytes') > 0 and name <> ''
		order by name`, id)
	for _, name := range names {
		if !slices.ContainsFunc(most, func(d Delivery) bool { return d.Client == name }) {
			most = append(most, Delivery{Client: name})
		}
	}
	return most, err
}

// forget deletes what was said about an image, and to whom it was sent.
func (t *tx) forget(id string) error {
	if _, err := t.exec(`delete from questions where image = ?`, id); err != nil {
		return err
	}
	_, err := t.exec(`delete from deliveries where image = ?`, id)
	return err
}

// forgetCalls deletes the calls of those sessions, by their rows, that have no plots any more, not even in
// the trash.
func (t *tx) forgetCalls(sessions map[int64]bool) error {
	for seq := range sessions {
		if _, err := t.exec(`delete from activities where session = (select id from sessions where seq = ?1)
			and not exists (select 1 from images where session_seq = ?1)`, seq); err != nil {
			return err
		}
	}
	return nil
}
