// Package sidebar provides the sidebar next to the gallery: all plots, the best of
// them, the sessions with their state, and the tags.
//
// # Goroutines
//
// A Bar belongs to the UI goroutine. Its reader has one goroutine, which runs until
// Close and passes its results to the Dispatcher.
package sidebar

import (
	"context"
	"fmt"
	"image/color"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"

	"easel/internal/wake"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/core/sessionname"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// Library is the part of the library that the bar uses.
type Library interface {
	Sessions(ctx context.Context) ([]library.Session, error)
	Tags(ctx context.Context) ([]library.TagCount, error)
	Count(ctx context.Context, q library.Query) (total, matching int, err error)
	Changes() *feed.Feed
}

// Actions are called when the user does something in the bar. They are called on the UI
// goroutine and must not block.
type Actions struct {
	OpenAll     func()
	OpenBest    func() // four or five stars
	OpenUnrated func()
	OpenTrash   func()
	TrashMenu   func(at fyne.Position)
	OpenSession func(id string)
	SessionMenu func(id string, at fyne.Position)
	Connect     func(kernel catalog.Session) // connects to a kernel that no Jupyter server runs
	Tags        func(tags []string)          // filters by tags; without tags it removes the filter
	Known       func([]library.Session)      // the library's sessions were read; may be nil
}

// mostEnded is the maximum number of ended sessions that are listed.
const mostEnded = 30

// contents is what was last read from the library.
type contents struct {
	sessions             []library.Session
	tags                 []library.TagCount
	total, best, unrated int
	trashed              int
}

// A Bar is the library's sidebar.
type Bar struct {
	k           *kit.Kit
	act         Actions
	lib         Library
	root        fyne.CanvasObject
	column      *kit.Column
	known       contents
	snap        *state.Snapshot
	seen        uint64
	asks        atomic.Int64  // how often the library was to be read
	due         atomic.Uint32 // what has changed since: a feed.What
	told        int64         // how many of them the last answer knows
	fingerprint string        // of what is shown, so that an equal state is not drawn again

	ctx    context.Context //nolint:containedctx // the life of the reader; Close ends it
	cancel context.CancelFunc
	ended  sync.WaitGroup
	wake   wake.Signal
}

// New returns a bar. The caller must call Close.
func New(k *kit.Kit, lib Library, act Actions) *Bar {
	ctx, cancel := context.WithCancel(context.Background())
	b := &Bar{k: k, act: act, lib: lib, column: k.Column(8, 1), ctx: ctx, cancel: cancel, wake: wake.New()}
	b.root = k.Panel(k.P.Side, "r", b.column)
	b.ended.Go(b.read)
	return b
}

// Object returns the object to put into the window.
func (b *Bar) Object() fyne.CanvasObject { return b.root }

// Close stops the reader and waits for it.
func (b *Bar) Close() {
	b.cancel()
	b.ended.Wait()
}

// readAfter is how long changes are collected before the library is read. A new plot is
// shown first, and the counts follow.
const readAfter = 80 * time.Millisecond

// What the counts depend on; and the tags of files, which are known when a file was read.
const (
	ofLibrary = feed.Listed | feed.Rating
	ofFiles   = feed.Detail | feed.Picture
)

func (b *Bar) read() {
	var k contents
	for gather := time.Duration(0); ; gather = readAfter { // the first time, read immediately
		select {
		case <-b.wake:
		case <-b.ctx.Done():
			return
		}
		select {
		case <-time.After(gather):
		case <-b.ctx.Done():
			return
		}
		asks, what := b.asks.Load(), feed.What(b.due.Swap(0))
		if what&feed.Listed != 0 {
			k.sessions, _ = b.lib.Sessions(b.ctx)
			k.trashed, _, _ = b.lib.Count(b.ctx, library.Query{Rating: -1, Trashed: true})
		}
		if what&ofLibrary != 0 {
			k.total, k.best, _ = b.lib.Count(b.ctx, library.Query{Rating: 4, RatingOp: ">="})
			_, k.unrated, _ = b.lib.Count(b.ctx, library.Query{Rating: 0, RatingOp: "="})
		}
		if what&^feed.Rating != 0 {
			k.tags, _ = b.lib.Tags(b.ctx)
		}
		k := k
		if b.ctx.Err() == nil {
			b.k.Do(func() {
				b.known, b.told = k, asks
				if b.act.Known != nil {
					b.act.Known(k.sessions)
				}
				b.draw()
			})
		}
	}
}

// Settled reports whether the library has answered since it was last asked.
func (b *Bar) Settled() bool { return b.told > 0 && b.told == b.asks.Load() }

// Render shows a state.
func (b *Bar) Render(s *state.Snapshot) {
	was := b.snap
	b.snap = s
	ended := was != nil && (len(was.Sessions) != len(s.Sessions) || was.Folder != s.Folder) // a directory has its own tags
	what := b.lib.Changes().Summary(b.seen, s.Revision).What
	if b.seen = max(b.seen, s.Revision); was == nil || ended {
		what = ^feed.What(0)
	}
	if s.Folder.Kind != state.Directory {
		what &^= ofFiles
	}
	if what &= ofLibrary | feed.Tags | ofFiles; what != 0 {
		b.due.Or(uint32(what))
		b.asks.Add(1)
		b.wake.Notify()
	}
	if was != nil && !ended && !b.Settled() && reflect.DeepEqual(was.Query, s.Query) {
		return // the library's answer is pending; draw everything then
	}
	b.draw()
}

// A row is a line that the user can choose.
type row struct {
	icon, name, detail, count string
	mark                      kit.Mark
	bar                       *color.NRGBA
	on, pin                   bool
	tip                       string
	tap                       func()
	menu                      func(fyne.Position)
}

func (b *Bar) draw() {
	if b.snap == nil {
		return
	}
	rows := b.rows()
	var drawn strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&drawn, "%q %q %q %q %d %v %v\n", r.icon, r.name, r.detail, r.count, r.mark, r.on, r.pin)
	}
	for _, t := range b.known.tags {
		fmt.Fprintf(&drawn, "%q %d\n", t.Name, t.Count)
	}
	fmt.Fprintf(&drawn, "%q", b.snap.Query.Tags)
	if drawn.String() == b.fingerprint {
		return
	}
	b.fingerprint = drawn.String()
	var os []fyne.CanvasObject
	for _, r := range rows {
		if r.tap == nil {
			os = append(os, kit.Box(kit.PadRow(8, 0, 0, b.k.Section(r.name)), fyne.NewSize(0, 32)))
			continue
		}
		os = append(os, b.row(r))
	}
	if len(b.known.tags) > 0 {
		os = append(os, kit.Box(kit.PadRow(8, 0, 0, b.k.Section(b.k.T("sidebar.tags"))), fyne.NewSize(0, 32)), b.tags())
	}
	b.column.SetRows(os...)
}

func (b *Bar) rows() []row {
	k, s := b.k, b.snap
	all := s.Folder.Kind != state.OneSession && s.Folder.Kind != state.Directory && s.Folder.Kind != state.Trash
	best := all && s.Query.RatingOp == ">=" && s.Query.Rating == 4
	unrated := all && s.Query.RatingOp == "=" && s.Query.Rating == 0
	rows := []row{
		{name: k.T("sidebar.library")},
		{icon: "gallery", name: k.T("sidebar.all"), count: number(b.known.total), on: all && !best && !unrated, tap: b.act.OpenAll},
		{icon: "star-outline", name: k.T("sidebar.best"), count: number(b.known.best), on: best, tap: b.act.OpenBest},
		{icon: "image", name: k.T("sidebar.unrated"), count: number(b.known.unrated), on: unrated, tap: b.act.OpenUnrated},
		{icon: "trash", name: k.T("sidebar.trash"), count: number(b.known.trashed), on: s.Folder.Kind == state.Trash, tap: b.act.OpenTrash, menu: b.act.TrashMenu},
	}
	live := make(map[string]bool)
	for _, x := range s.Sessions {
		live[x.SessionID] = true
	}
	rows = append(rows, b.offered(live)...)
	rows = append(rows, row{name: k.T("sidebar.sessions")})
	ended := b.listedEnded(live)
	names := Names(s.Sessions, b.known.sessions)
	for _, x := range s.Sessions {
		rows = append(rows, b.liveRow(x))
	}
	for _, x := range ended {
		c := k.P.Session(x.Colour)
		rows = append(rows, row{
			name: names[x.ID], detail: join(x.Client, b.ago(x.EndedAt, x.CreatedAt)), count: number(x.Images), bar: &c,
			on: s.Folder.Kind == state.OneSession && s.Folder.ID == x.ID, tap: func() { b.act.OpenSession(x.ID) },
		})
	}
	if len(s.Sessions)+len(ended) == 0 {
		rows = append(rows, row{name: k.T("sidebar.no_sessions"), icon: "none", tap: func() {}})
	}
	return rows
}

// offered returns the rows of kernels that no Jupyter server runs, except those that are
// joined.
func (b *Bar) offered(live map[string]bool) (rows []row) {
	for _, x := range b.snap.Kernels {
		if live[x.SessionID] || x.Process == nil {
			continue
		}
		if rows == nil {
			rows = []row{{name: b.k.T("sidebar.machine")}}
		}
		p, c := x.Process, b.k.P.Muted
		tip := b.k.T("kernel.connect_tip")
		if p.Problem != "" {
			tip = b.k.T("kernel.no_connect", p.Problem)
		}
		rows = append(rows, row{
			name: KernelTitle(x), detail: join(x.KernelName, filepath.Base(p.Directory), b.ago(p.StartedAt)), bar: &c, tip: tip,
			tap: func() { b.act.Connect(x) },
		})
	}
	return rows
}

// liveRow returns the row of a live session.
func (b *Bar) liveRow(x state.Session) row {
	c := b.k.P.Session(x.Colour)
	images := x.Images
	for _, kept := range b.known.sessions { // it also knows which ones are in the trash
		if kept.ID == x.SessionID {
			images = kept.Images
		}
	}
	r := row{
		name: x.Title(), detail: join(x.Client, Status(b.k, x)), count: number(images), bar: &c, mark: Mark(x), pin: x.Pinned,
		on:   b.snap.Folder.Kind == state.OneSession && b.snap.Folder.ID == x.SessionID,
		tap:  func() { b.act.OpenSession(x.SessionID) },
		menu: func(at fyne.Position) { b.act.SessionMenu(x.SessionID, at) },
	}
	switch {
	case x.Pinned:
		r.tip = b.k.T("session.pinned_tip")
	case x.Title() != sessionname.Of(x.Named()): // there may be no room for what was added
		r.tip = x.Title()
	}
	if x.Environment != "" {
		r.tip = strings.Join(slices.DeleteFunc([]string{r.tip, x.Directory, x.Environment}, func(s string) bool { return s == "" }), "\n")
	}
	return r
}

// Mark returns the mark of a session's state.
func Mark(x state.Session) kit.Mark {
	switch {
	case x.Died != "" || x.Status == "dead":
		return kit.MarkBad
	case x.Running != nil || x.Status == "busy":
		return kit.MarkBusy
	case x.Status == "starting" || x.Status == "restarting":
		return kit.MarkWait
	default:
		return kit.MarkIdle
	}
}

// Status returns a session's state in the user's language.
func Status(k *kit.Kit, x state.Session) string {
	switch {
	case x.Died != "":
		return k.T("kernel.dead")
	case x.Running != nil:
		return k.T("kernel.busy")
	case k.Tr.Has("kernel." + x.Status):
		return k.T("kernel." + x.Status)
	default:
		return x.Status
	}
}

func (b *Bar) ago(times ...time.Time) string {
	for _, t := range times {
		if !t.IsZero() {
			return b.k.Tr.Ago(t, b.k.Now())
		}
	}
	return ""
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (b *Bar) row(r row) fyne.CanvasObject {
	k := b.k
	ink := k.P.Text
	if r.icon == "none" {
		return kit.Box(kit.PadRow(8, 0, 0, kit.NewLine(r.name, 12, k.P.Muted, fyne.TextStyle{}, 20)), fyne.NewSize(0, 28))
	}
	name := kit.NewLine(r.name, theme.TextBody, ink, fyne.TextStyle{Bold: r.on}, 20)
	count := kit.Text(r.count, theme.TextCaption, k.P.Muted, fyne.TextStyle{})
	var base color.Color = color.Transparent
	if r.on {
		base = k.P.Selected
	}
	high := float32(32)
	var left fyne.CanvasObject
	if r.bar != nil {
		left = kit.Fill(*r.bar, 2)
		high = 44
	} else {
		tint := k.P.Muted
		if r.on {
			tint = k.P.Accent
		}
		left = kit.Icon(r.icon, tint, 16)
	}
	detail := kit.NewLine(r.detail, theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 20)
	mark := k.State(r.mark, 9)
	pin := kit.Icon("pin", k.P.Muted, 13)
	pin.Hidden = !r.pin
	content := &fyne.Container{Objects: []fyne.CanvasObject{left, name, count, detail, mark, pin}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			cm := count.MinSize()
			right := s.Width - 10 - cm.Width
			kit.Place(count, right, (high-cm.Height)/2, cm.Width, cm.Height)
			if r.bar == nil {
				kit.Place(left, 10, (high-16)/2, 16, 16)
				kit.Place(name, 34, 0, right-34-6, high)
				return
			}
			kit.Place(left, 9, 8, 4, high-16)
			x := float32(22)
			if r.pin {
				right -= 17
				kit.Place(pin, right+1, (high-13)/2, 13, 13)
			}
			kit.Place(name, x, 4, right-x-6, 19)
			if r.mark != kit.MarkNone {
				mm := mark.MinSize()
				kit.Place(mark, x, 23+(17-mm.Height)/2, mm.Width, mm.Height)
				kit.Place(detail, x+mm.Width+5, 23, right-x-mm.Width-11, 17)
				return
			}
			kit.Place(detail, x, 23, right-x-6, 17)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(80, high) },
	}}
	t := k.Tap(content, base, r.tip, r.tap)
	if r.menu != nil {
		t.OnSecondary(func(e *fyne.PointEvent) { r.menu(e.AbsolutePosition) })
	}
	return t
}

func (b *Bar) tags() fyne.CanvasObject {
	var chips []fyne.CanvasObject
	for _, t := range b.known.tags {
		on := slices.Contains(b.snap.Query.Tags, t.Name)
		chips = append(chips, b.k.Chip(t.Name+"  "+strconv.Itoa(t.Count), on, false, func() {
			tags := slices.Clone(b.snap.Query.Tags)
			if on {
				tags = slices.DeleteFunc(tags, func(o string) bool { return o == t.Name })
			} else {
				tags = append(tags, t.Name)
			}
			b.act.Tags(tags)
		}))
	}
	return kit.Inset(8, kit.NewFlow(5, chips...))
}
