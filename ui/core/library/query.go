package library

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"easel/ui/core/library/naming"
)

// A Query selects and orders images. It finds the newest version of each figure only. If
// ordered by creation, a figure has the position of its first version. The zero Query
// matches the images rated 0; see All.
type Query struct {
	SessionID string    // id of a session or its kernel; if empty, all sessions
	URIPrefix string    // only URIs with this prefix
	Rating    int       // 0 to 5, compared by RatingOp; -1: any
	RatingOp  string    // ">=" (default), "=", "<="
	Tags      []string  // case is ignored
	AnyTag    bool      // match any of Tags instead of all
	Findings  bool      // only plots with open findings; see Image.Findings
	Text      string    // a search as package search reads it: words in the card's text, the note, code or output, and terms
	Looked    time.Time // when the user last looked, for the term is:new
	SortBy    string    // created (default), name, modified, rating, size, session, or ByCell
	Asc       bool      // ascending
	Trashed   bool      // the trash instead of the library
}

// ByCell sorts by the cells of the session's notebook. The library does not know their order,
// so that it sorts by creation; package collection sorts further.
const ByCell = "cell"

// All returns the Query for every image that is not in the trash, newest first.
func All() Query { return Query{Rating: -1} }

// A Page selects part of a list.
type Page struct {
	Cursor string // from the previous page; if empty, the first page
	Limit  int    // at most MaxPage; 0: 50
}

// MaxPage is the largest number of images of a page.
const MaxPage = 1000

const defaultPage = 50

// A sortKey is the SQL expression by which images are ordered, before the figure.
type sortKey struct {
	column string
	of     func(imageRow) any
}

var sortKeys = map[string]sortKey{
	"":         {"i.born", func(r imageRow) any { return r.born }},
	ByCell:     {"i.born", func(r imageRow) any { return r.born }},
	"created":  {"i.born", func(r imageRow) any { return r.born }},
	"name":     {"i.sortname", func(r imageRow) any { return r.sortname }},
	"modified": {"i.modified", func(r imageRow) any { return r.modified }},
	"rating":   {"i.rating", func(r imageRow) any { return r.rating }},
	"size":     {"i.bytes", func(r imageRow) any { return r.main.Bytes }},
	"session":  {"i.session_seq", func(r imageRow) any { return r.sessionSeq }},
}

// A condition is a query in SQL.
type condition struct {
	where []string
	args  []any
	key   sortKey
	asc   bool
}

func (c *condition) and(clause string, args ...any) {
	c.where, c.args = append(c.where, clause), append(c.args, args...)
}

func (c *condition) sql(columns, tables string) string {
	return `select ` + columns + ` from ` + tables + ` where ` + strings.Join(c.where, ` and `)
}

func (c *condition) order() string {
	direction := ` desc`
	if c.asc {
		direction = ` asc`
	}
	return ` order by ` + c.key.column + direction + `, i.figure` + direction
}

// A translator writes queries in SQL.
type translator struct {
	session  func(ctx context.Context, id string) (seq int64, err error)           // the row of a session, by its id or its kernel's
	called   func(ctx context.Context, text string) (sessions []string, err error) // the ids of sessions by a part of their name
	now      func() time.Time
	untitled []string // see Options
}

// narrow returns the condition for a query's folder: session, prefix and trash.
func (l translator) narrow(ctx context.Context, q Query) (*condition, error) {
	key, ok := sortKeys[q.SortBy]
	if !ok {
		return nil, fmt.Errorf("%w: sort by %.40q", ErrInvalid, q.SortBy)
	}
	c := &condition{key: key, asc: q.Asc}
	if q.Trashed {
		c.and(`i.trashed > 0`)
	} else {
		c.and(`i.trashed = 0`)
	}
	c.and(`i.superseded = 0`)
	if q.SessionID != "" {
		seq, err := l.session(ctx, q.SessionID)
		if err != nil {
			return nil, err
		}
		c.and(`i.session_seq = ?`, seq)
	}
	return c, l.narrowPrefix(ctx, c, q.URIPrefix)
}

// narrowPrefix restricts the condition to URIs with a prefix.
func (l translator) narrowPrefix(ctx context.Context, c *condition, prefix string) error {
	if strings.HasPrefix(naming.Scheme, prefix) { //nolint:gocritic // the prefix is the shorter one
		return nil
	}
	rest, ok := strings.CutPrefix(prefix, naming.Scheme)
	session, image, whole := strings.Cut(rest, "/")
	switch {
	case !ok:
		c.and(`0`)
	case !whole:
		c.and(`i.session_seq in (select seq from sessions where id >= ? and id < ?)`, session, session+"\U0010ffff")
	default:
		seq, err := l.session(ctx, session)
		if err != nil {
			return err
		}
		c.and(`i.session_seq = ?`, seq)
		image = "/" + image
		if strings.HasPrefix(naming.ImagesPart, image) { //nolint:gocritic // as above
			return nil
		}
		id, ok := strings.CutPrefix(image, naming.ImagesPart)
		if !ok {
			c.and(`0`)
			return nil
		}
		bare, _, _ := strings.Cut(id, ".")
		c.and(`i.id >= ? and i.id < ? and substr(i.id || '.' || i.ext, 1, ?) = ?`, bare, bare+"~", len(id), id)
	}
	return nil
}

// filter adds the filters of a query and reports whether there are any.
func (l translator) filter(ctx context.Context, q Query, c *condition) (bool, error) {
	before := len(c.where)
	if q.Rating >= 0 {
		op, ok := map[string]string{"": ">=", ">=": ">=", "=": "=", "<=": "<="}[q.RatingOp]
		if !ok {
			return false, fmt.Errorf("%w: rating %.10q", ErrInvalid, q.RatingOp)
		}
		c.and(`i.rating `+op+` ?`, q.Rating)
	}
	if len(q.Tags) > 0 {
		keys := make([]string, 0, len(q.Tags))
		for _, t := range q.Tags {
			keys = append(keys, tagKey(t))
		}
		tagged := `select d.subject from tag_names t join tagged d on d.tag = t.seq where t.key = ?`
		if q.AnyTag {
			c.and(`i.id in (select d.subject from tag_names t join tagged d on d.tag = t.seq
				where t.key in (select value from json_each(?)))`, list(keys))
		} else {
			for _, k := range keys {
				c.and(`i.id in (`+tagged+`)`, k)
			}
		}
	}
	if q.Findings {
		c.and(`i.findings > 0`)
	}
	if err := l.search(ctx, c, q); err != nil {
		return false, err
	}
	return len(c.where) > before, nil
}

// condition returns the condition of a query.
func (l translator) condition(ctx context.Context, q Query) (*condition, error) {
	c, err := l.narrow(ctx, q)
	if err != nil {
		return nil, err
	}
	_, err = l.filter(ctx, q, c)
	return c, err
}

// IDs returns the ids of all matching images, in order.
func (m *Images) IDs(ctx context.Context, q Query) ([]string, error) {
	c, err := m.queries.condition(ctx, q)
	if err != nil {
		return nil, err
	}
	return collect(ctx, m.s, scanID, c.sql(`i.id`, `images i`)+c.order(), c.args...)
}

// Page returns a page of the matching images, in order, and the cursor of the next
// page, which is empty after the last. Images that are added or deleted between two
// pages do not cause others to be repeated or skipped. The error for a cursor of another
// query is ErrBadCursor.
func (m *Images) Page(ctx context.Context, q Query, p Page) (images []Image, next string, err error) {
	c, err := m.queries.condition(ctx, q)
	if err != nil {
		return nil, "", err
	}
	if p.Cursor != "" {
		if err := c.after(p.Cursor, q); err != nil {
			return nil, "", err
		}
	}
	if p.Limit <= 0 {
		p.Limit = defaultPage
	}
	p.Limit = min(p.Limit, MaxPage)
	rows, err := m.imageRows(ctx, c.sql(imageColumns, `images i join sessions s on s.seq = i.session_seq`)+c.order()+` limit ?`,
		append(c.args, p.Limit+1)...)
	if err != nil {
		return nil, "", err
	}
	if len(rows) > p.Limit {
		rows = rows[:p.Limit]
		last := rows[p.Limit-1]
		next = cursor{Key: c.key.of(last), Figure: last.figure, Query: q.fingerprint()}.String()
	}
	images, err = m.withCode(ctx, rows)
	return images, next, err
}

// Count returns the number of images in a query's folder and the number of matching ones.
func (m *Images) Count(ctx context.Context, q Query) (total, matching int, err error) {
	folder, err := m.queries.narrow(ctx, q)
	if err != nil {
		return 0, 0, err
	}
	if total, err = m.countFolder(ctx, q, folder); err != nil {
		return 0, 0, err
	}
	filtered, err := m.queries.filter(ctx, q, folder)
	if err != nil {
		return 0, 0, err
	}
	if !filtered {
		return total, total, nil
	}
	matching, err = m.count(ctx, folder)
	return total, matching, err
}

// countFolder counts the images in a folder. If possible, it adds the counts stored with
// the sessions, which takes constant time.
func (m *Images) countFolder(ctx context.Context, q Query, folder *condition) (n int, err error) {
	switch {
	case q.Trashed || q.URIPrefix != "":
		return m.count(ctx, folder)
	case q.SessionID != "":
		err = m.s.ro.QueryRowContext(ctx, `select coalesce(sum(live), 0) from sessions where seq = ?`, folder.args[0]).Scan(&n)
	default:
		err = m.s.ro.QueryRowContext(ctx, `select coalesce(sum(live), 0) from sessions`).Scan(&n)
	}
	return n, asFull(err)
}

func (m *Images) count(ctx context.Context, c *condition) (n int, err error) {
	err = m.s.ro.QueryRowContext(ctx, c.sql(`count(*)`, `images i`), c.args...).Scan(&n)
	return n, asFull(err)
}

// A cursor is the end of a page: the sort key and figure of its last image.
type cursor struct {
	Key    any    `json:"k"` // an integer or a string
	Figure int64  `json:"f"`
	Query  uint32 `json:"q"`
}

// fingerprint identifies a query.
func (q Query) fingerprint() uint32 {
	h := fnv.New32a()
	_ = json.NewEncoder(h).Encode(q)
	return h.Sum32()
}

func (c cursor) String() string {
	b, _ := json.Marshal(c) // an integer and strings cannot fail
	return base64.RawURLEncoding.EncodeToString(b)
}

// after restricts the condition to the images after a cursor.
func (c *condition) after(text string, q Query) error {
	bad := fmt.Errorf("%w: %.80q", ErrBadCursor, text)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return bad
	}
	var at cursor
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&at); err != nil || at.Query != q.fingerprint() {
		return bad
	}
	_, wantText := c.key.of(imageRow{}).(string)
	switch k := at.Key.(type) {
	case json.Number:
		n, err := k.Int64()
		if err != nil || wantText {
			return bad
		}
		at.Key = n
	case string:
		if !wantText {
			return bad
		}
	default:
		return bad
	}
	op := `<`
	if c.asc {
		op = `>`
	}
	c.and(`(`+c.key.column+`, i.figure) `+op+` (?, ?)`, at.Key, at.Figure)
	return nil
}
