// Package eventlog keeps the latest changes of what the window shows. They are numbered,
// so that a client that lost its connection to /api/events can resume. The log is
// limited by count and by bytes: a client that returns too late is told to read the
// state again.
//
// # Goroutines
//
// Follow feeds the log and returns when its context ends. Each reader runs on its
// caller's goroutine. Everything may be called from any goroutine.
package eventlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
)

// Defaults of Config.
const (
	defaultEntries = 4096
	defaultBytes   = 4 << 20
	watchDepth     = 4096 // changes that may wait for Follow
)

// Reset is the name of the entry that tells a reader to read the state again, because
// earlier entries were lost.
const Reset = "reset"

// Config limits a log. Zero values mean 4096 entries and 4 MiB.
type Config struct {
	Entries int
	Bytes   int
	Boot    string // identifies this start of Easel; "" derives it from the time
}

// An Entry is one change.
type Entry struct {
	ID   string // "boot-seq"
	Name string // a catalog.ChangeName, or Reset
	Data json.RawMessage
}

// A Log is a bounded log with readers. Use New to create one.
type Log struct {
	boot       string
	maxEntries int
	maxBytes   int

	mu      sync.Mutex
	entries []Entry // the newest entries; the last has sequence number seq
	bytes   int
	seq     uint64
	wake    chan struct{} // closed and replaced at each entry
	ending  chan struct{} // closed and replaced by EndStreams
	closed  bool
}

// New returns an empty log.
func New(c Config) *Log {
	if c.Entries <= 0 {
		c.Entries = defaultEntries
	}
	if c.Bytes <= 0 {
		c.Bytes = defaultBytes
	}
	if c.Boot == "" {
		c.Boot = strconv.FormatInt(time.Now().UnixMilli(), 36)
	}
	return &Log{
		boot: c.Boot, maxEntries: c.Entries, maxBytes: c.Bytes,
		wake: make(chan struct{}), ending: make(chan struct{}),
	}
}

// Follow subscribes to the changes on b. run adds each change to the log until ctx
// ends or b closes, including those that were notified before run was called.
func (l *Log) Follow(ctx context.Context, b *eventbus.Bus) (run func()) {
	changes := catalog.Changes.Watch(ctx, b, watchDepth)
	return func() {
		for c, err := range changes {
			if err != nil { // changes were dropped, and readers must know
				l.Add(Reset, struct{}{})
				continue
			}
			l.Add(string(c.Name), c.Object)
		}
	}
}

// Add adds a change. An object that cannot be marshalled is added as null.
func (l *Log) Add(name string, object any) {
	data, err := json.Marshal(object)
	if err != nil {
		data = json.RawMessage("null")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	l.entries = append(l.entries, Entry{l.boot + "-" + strconv.FormatUint(l.seq, 10), name, data})
	l.bytes += len(data)
	drop := 0
	for drop < len(l.entries)-1 && (len(l.entries)-drop > l.maxEntries || l.bytes > l.maxBytes) {
		l.bytes -= len(l.entries[drop].Data)
		drop++
	}
	if drop > 0 {
		clear(l.entries[:drop]) // the underlying array is still in use
		l.entries = l.entries[drop:]
	}
	close(l.wake)
	l.wake = make(chan struct{})
}

// EndStreams ends every reader. Clients may open new ones.
func (l *Log) EndStreams() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.ending)
	l.ending = make(chan struct{})
}

// Close ends every reader permanently.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.ending)
		l.ending = make(chan struct{})
	}
}

// A Reader reads the log in order. It may be used by one goroutine only.
type Reader struct {
	l      *Log
	next   uint64 // sequence number of the entry to read next
	reset  bool   // the next entry is a Reset
	ending <-chan struct{}
}

// ErrEnded is the error of Next after EndStreams or Close.
var ErrEnded = errors.New("eventlog: the stream was ended")

// Reader returns a reader of what follows the entry with the id last; "" means from now
// on. If that is not possible without a gap, the first entry is a Reset.
func (l *Log) Reader(last string) *Reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &Reader{l: l, next: l.seq + 1, ending: l.ending}
	if last == "" {
		return r
	}
	seq, ok := l.parse(last)
	if !ok || seq+1 < l.first() || seq > l.seq {
		r.reset = true // from another start, too old, or invalid
		return r
	}
	r.next = seq + 1
	return r
}

// parse parses an id of this start.
func (l *Log) parse(id string) (seq uint64, ok bool) {
	boot, n, found := strings.Cut(id, "-")
	if !found || boot != l.boot {
		return 0, false
	}
	seq, err := strconv.ParseUint(n, 10, 64)
	return seq, err == nil
}

// first returns the sequence number of the oldest entry. l.mu must be held.
func (l *Log) first() uint64 { return l.seq - uint64(len(l.entries)) + 1 }

// Next waits for the next entry. If idle is positive, it waits at most that long and
// then returns with ok false. A reader that was too slow gets a Reset instead of what it
// missed.
func (r *Reader) Next(ctx context.Context, idle time.Duration) (e Entry, ok bool, err error) {
	var late <-chan time.Time
	if idle > 0 {
		t := time.NewTimer(idle)
		defer t.Stop()
		late = t.C
	}
	for {
		select {
		case <-r.ending: // checked first: what is left is no longer for this reader
			return Entry{}, false, ErrEnded
		default:
		}
		e, wake, err := r.take()
		if err != nil || wake == nil {
			return e, err == nil, err
		}
		select {
		case <-wake:
		case <-late:
			return Entry{}, false, nil
		case <-r.ending:
			return Entry{}, false, ErrEnded
		case <-ctx.Done():
			return Entry{}, false, fmt.Errorf("eventlog: %w", context.Cause(ctx))
		}
	}
}

// take returns the next entry, or the channel that is closed when there is one.
func (r *Reader) take() (e Entry, wake <-chan struct{}, err error) {
	l := r.l
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return Entry{}, nil, ErrEnded
	case r.next < l.first():
		r.reset = true
		fallthrough
	case r.reset:
		// The id of the newest entry: a client that resumes from it misses nothing more.
		r.reset, r.next = false, l.seq+1
		return Entry{l.boot + "-" + strconv.FormatUint(l.seq, 10), Reset, json.RawMessage("{}")}, nil, nil
	case r.next > l.seq:
		return Entry{}, l.wake, nil
	}
	e = l.entries[r.next-l.first()]
	r.next++
	return e, nil, nil
}
