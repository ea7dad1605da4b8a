package mcphost

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/mcphost/mcphttp"
)

// sessionLimit is how many sessions are stored. The oldest are dropped.
const sessionLimit = 500

// subscriptionLimit is how many subscriptions of a session are stored.
const subscriptionLimit = 200

// maxCapabilities is how much of what a client can is stored, in bytes of JSON. Ours needs far less.
const maxCapabilities = 4_000

// A sessionStore is a small file with the client of each MCP session, what it can, and its
// subscriptions, so that a client that continues its session after a restart of Easel keeps
// them. It is written when they change, which is rare.
type sessionStore struct {
	file string
	log  *slog.Logger

	mu       sync.Mutex
	sessions map[string]storedSession
}

type storedSession struct {
	Name    string    `json:"name"`
	Version string    `json:"version"`
	Began   time.Time `json:"began"`
	URIs    []string  `json:"uris,omitempty"`

	Can mcp.ClientCapabilities `json:"can,omitzero"`
}

const maxStored = 16 << 20 // bytes

// openSessionStore reads file. If it is missing or damaged, the store is empty: only
// names and subscriptions are lost.
func openSessionStore(file string, log *slog.Logger) mcphttp.SessionStore {
	m := &sessionStore{file: file, log: log, sessions: make(map[string]storedSession)}
	if file == "" {
		return m
	}
	b, err := system.ReadRegular(file, maxStored)
	if err == nil {
		err = json.Unmarshal(b, &m.sessions)
	}
	if err != nil && !os.IsNotExist(err) {
		log.Warn("the earlier MCP sessions could not be read", "cause", err)
	}
	if m.sessions == nil { // the file contained null
		m.sessions = make(map[string]storedSession)
	}
	return m
}

// Load implements mcphttp.SessionStore.
func (m *sessionStore) Load(session string) (client mcp.Implementation, can mcp.ClientCapabilities, uris []string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.sessions[session]
	return mcp.Implementation{Name: r.Name, Version: r.Version}, r.Can, r.URIs, ok
}

// SaveSubscriptions implements mcphttp.SessionStore.
func (m *sessionStore) SaveSubscriptions(session string, uris []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.sessions[session]; ok { // unknown sessions are not stored
		uris = slices.Sorted(slices.Values(uris))
		r.URIs = uris[:min(len(uris), subscriptionLimit)]
		m.sessions[session] = r
		m.write()
	}
}

// Save implements mcphttp.SessionStore.
func (m *sessionStore) Save(session string, client mcp.Implementation, can mcp.ClientCapabilities) {
	if b, err := json.Marshal(can); err != nil || len(b) > maxCapabilities {
		can = mcp.ClientCapabilities{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[session] = storedSession{Name: cut(client.Name, 200), Version: cut(client.Version, 100), Began: time.Now().UTC(), Can: can}
	if len(m.sessions) > sessionLimit {
		ids := slices.SortedFunc(maps.Keys(m.sessions), func(a, b string) int {
			return cmp.Or(m.sessions[a].Began.Compare(m.sessions[b].Began), cmp.Compare(a, b))
		})
		for _, id := range ids[:len(ids)-sessionLimit] {
			delete(m.sessions, id)
		}
	}
	m.write()
}

// Delete implements mcphttp.SessionStore.
func (m *sessionStore) Delete(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.sessions[session]; ok {
		delete(m.sessions, session)
		m.write()
	}
}

// write replaces the file. m.mu must be held.
func (m *sessionStore) write() {
	if m.file == "" {
		return
	}
	b, err := json.Marshal(m.sessions)
	if err == nil {
		err = atomicfile.Write(m.file, b, 0o600)
	}
	if err != nil {
		m.log.Warn("the MCP sessions could not be stored", "cause", err)
	}
}
