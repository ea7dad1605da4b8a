package notebooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
)

// RoomRemedy says how to make a shared document writable.
const RoomRemedy = "pip install jupyter-collaboration (where JupyterLab is installed; then restart JupyterLab)"

// A RoomServer is a Jupyter server that may have rooms, in which several people edit a
// document together. A [jupyter.Server] is one.
type RoomServer interface {
	Server
	Room(ctx context.Context, path string) (jupyter.Room, error)
}

// Rooms reaches shared documents through processes of Easel's Python environment, which join
// the rooms as one more participant: the protocol has an implementation in Python that
// JupyterLab's server uses, too. A process remains in its room for a while, where others see
// its name.
//
// Rooms is safe for concurrent use. Close ends the processes.
type Rooms struct {
	// Python returns the interpreter of Easel's environment; "" if there is none.
	Python func() string

	mu     sync.Mutex
	closed bool
	joined map[roomKey]*member
	none   map[Server]time.Time // when a server had no rooms
	tasks  sync.WaitGroup
}

// A roomKey is a notebook and the name under which it was joined.
type roomKey struct {
	fileKey
	name string
}

// A RoomDocument is a notebook that several people edit together. It is a Document.
type RoomDocument struct {
	rooms  *Rooms
	server RoomServer
	key    roomKey

	// TabFirst is whether a tab that shows the notebook should be preferred, because the
	// kernel answers only the client that connected last (jupyter-server-documents).
	TabFirst bool
}

// Open returns the notebook at path as a shared document. name is shown to others. The error
// is an *OpenError if the server does not share documents, or Easel cannot join.
func (r *Rooms) Open(ctx context.Context, s RoomServer, path, name string) (*RoomDocument, error) {
	d := &RoomDocument{rooms: r, server: s, key: roomKey{fileKey{s, path}, name}}
	m, err := d.member(ctx)
	if err == nil {
		d.TabFirst = m.tabFirst
	}
	return d, err
}

// member returns the process that is in the room, and starts one if there is none.
func (d *RoomDocument) member(ctx context.Context) (*member, error) {
	noRooms := &OpenError{Reason: "its Jupyter server does not share documents", Remedy: RoomRemedy, Shown: nobody}
	d.rooms.mu.Lock()
	m, none := d.rooms.joined[d.key], time.Since(d.rooms.none[d.key.server]) < noneAgain
	d.rooms.mu.Unlock()
	if m != nil {
		return m, nil
	}
	if none {
		return nil, noRooms
	}
	room, err := d.server.Room(ctx, d.key.path)
	if errors.Is(err, jupyter.ErrNoRooms) {
		d.rooms.hasNone(d.key.server)
		return nil, noRooms
	}
	if err != nil {
		return nil, err
	}
	python := d.rooms.Python()
	if python == "" {
		return nil, &OpenError{
			Reason: "Easel joins shared documents with its own Python environment, which is not installed", Remedy: "start Easel once without --jupyter-url",
		}
	}
	return d.rooms.join(ctx, python, room, d.key)
}

// noneAgain is how long after it had no rooms a server is not asked again.
const noneAgain = time.Minute

func (r *Rooms) hasNone(s Server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.none == nil {
		r.none = make(map[Server]time.Time)
	}
	r.none[s] = time.Now()
}

// join starts a process in a room.
func (r *Rooms) join(ctx context.Context, python string, room jupyter.Room, key roomKey) (*member, error) {
	m, err := startMember(python)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		m.kill()
		return nil, context.Canceled
	}
	r.tasks.Go(func() {
		m.wait()
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.joined[key] == m {
			delete(r.joined, key)
		}
	})
	r.mu.Unlock()
	m.tabFirst = !room.OnDemand
	if _, err := m.ask(ctx, map[string]any{"url": room.URL, "token": room.Token, "name": key.name, "on_demand": room.OnDemand}); err != nil {
		m.kill()
		return nil, &OpenError{Reason: err.Error(), Remedy: "try again, or ask the user to reload JupyterLab"}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.joined == nil {
		r.joined = make(map[roomKey]*member)
	}
	if other := r.joined[key]; other != nil { // another call was faster
		m.leave()
		return other, nil
	}
	r.joined[key] = m
	m.linger()
	return m, nil
}

// Close ends all processes.
func (r *Rooms) Close() {
	r.mu.Lock()
	r.closed = true
	for _, m := range r.joined {
		m.leave()
	}
	r.mu.Unlock()
	r.tasks.Wait()
}

// Via implements Document.
func (d *RoomDocument) Via() string { return catalog.ViaCollaboration }

// Read implements Document.
func (d *RoomDocument) Read(ctx context.Context) (*Notebook, error) { return roomChannel{d}.read(ctx) }

// Glance implements Document.
func (d *RoomDocument) Glance(ctx context.Context, r Ref) (*Notebook, error) {
	return roomChannel{d}.glance(ctx, r)
}

// Edit implements Document.
func (d *RoomDocument) Edit(ctx context.Context, e *Edit) error { return edit(ctx, roomChannel{d}, e) }

// Start shows a cell as running, without outputs, if its text is the given one.
func (d *RoomDocument) Start(ctx context.Context, cell, text string) error {
	_, err := roomChannel{d}.apply(ctx, Change{Op: opStart, Cell: cell, Before: text})
	return err
}

// Stop shows that a cell is not running, if its outputs cannot be written.
func (d *RoomDocument) Stop(ctx context.Context, cell string) error {
	_, err := roomChannel{d}.apply(ctx, Change{Op: opStop, Cell: cell})
	return err
}

// A roomChannel is the channel to a shared document.
type roomChannel struct{ *RoomDocument }

func (c roomChannel) read(ctx context.Context) (*Notebook, error) {
	n, _, err := c.get(ctx, "read")
	return n, err
}

func (c roomChannel) glance(ctx context.Context, r Ref) (*Notebook, error) {
	n, data, err := c.get(ctx, "glance")
	if err != nil {
		return nil, err
	}
	var raw struct {
		Cells []struct {
			ID string `json:"id"`
		} `json:"cells"`
	}
	if i, err := n.Find(r); err == nil && json.Unmarshal(data, &raw) == nil && i < len(raw.Cells) && raw.Cells[i].ID == "" {
		return nil, &OpenError{
			Reason: fmt.Sprintf("the cell at index %d has an empty id, so it cannot be found in the shared document", i),
			Remedy: copyCell,
		}
	}
	return n, nil
}

// copyCell is what gives a cell an id.
const copyCell = "ask the user to copy that cell and to delete the original"

// get returns the notebook, and its JSON.
func (c roomChannel) get(ctx context.Context, op string) (*Notebook, []byte, error) {
	a, err := c.ask(ctx, request{Op: op})
	if err != nil { // perhaps the process had just lost its connection
		a, err = c.ask(ctx, request{Op: op})
	}
	if err != nil {
		return nil, nil, err
	}
	n, err := parseOpen(a.Notebook)
	return n, a.Notebook, err
}

func (c roomChannel) apply(ctx context.Context, ch Change) (id string, err error) {
	a, err := c.ask(ctx, request{Op: "apply", Change: &ch})
	return a.Cell, err
}

// ask asks the process in the room. If the process ended before, because it had been idle or
// the server was restarted, ask starts another one; a request is never made twice.
func (c roomChannel) ask(ctx context.Context, q request) (answer roomAnswer, err error) {
	for range 2 {
		m, err := c.member(ctx)
		if err != nil {
			return answer, err
		}
		answer, err = m.ask(ctx, q)
		if !errors.Is(err, errLeft) {
			return answer, err
		}
		<-m.ended
		c.rooms.forget(c.key, m)
	}
	return answer, fmt.Errorf("%w: the process in the shared document ends again and again", ErrUnproved)
}

func (r *Rooms) forget(key roomKey, m *member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.joined[key] == m {
		delete(r.joined, key)
	}
}

// A request is a line that a member reads; see easel_room.py.
type request struct {
	Op     string  `json:"op"`
	Change *Change `json:"change,omitempty"`
}

// A roomAnswer is a line that a member writes.
type roomAnswer struct {
	Notebook json.RawMessage `json:"notebook"`
	Cell     string          `json:"cell"`
	Error    string          `json:"error"`
	Kind     string          `json:"kind"`
}

// staying is how long a process remains in a room without a request.
const staying = 45 * time.Second
