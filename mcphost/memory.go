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
	"easel/mcphost/mcphttp"
)

// memoryLimit is how many sessions are remembered: the newest.
const memoryLimit = 500

// subscriptionLimit is to how many resources a session stays subscribed over a
// restart.
const subscriptionLimit = 200

// A memory keeps which client began an MCP session, and to what it has subscribed,
// in a small file, so that a client that goes on with its session after a restart of
// Easel still has both. It is written when that changes, which is rare.
type memory struct {
	file string
	log  *slog.Logger

	mu       sync.Mutex
	sessions map[string]remembered
}

type remembered struct {
	Name    string    `json:"name"`
	Version string    `json:"version"`
	Began   time.Time `json:"began"`
	URIs    []string  `json:"uris,omitempty"`
}

// openMemory reads file. A file that is missing or damaged is an empty memory:
// all that is lost is names.
func openMemory(file string, log *slog.Logger) mcphttp.Memory {
	m := &memory{file: file, log: log, sessions: make(map[string]remembered)}
	if file == "" {
		return m
	}
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &m.sessions)
	}
	if err != nil && !os.IsNotExist(err) {
		log.Warn("the names of earlier MCP sessions could not be read", "cause", err)
	}
	if m.sessions == nil { // the file said null
		m.sessions = make(map[string]remembered)
	}
	return m
}

// Recall implements mcphttp.Memory.
func (m *memory) Recall(session string) (client mcp.Implementation, uris []string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.sessions[session]
	return mcp.Implementation{Name: r.Name, Version: r.Version}, r.URIs, ok
}

// Subscribed implements mcphttp.Memory.
func (m *memory) Subscribed(session string, uris []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.sessions[session]; ok { // what nobody began is not kept
		uris = slices.Sorted(slices.Values(uris))
		r.URIs = uris[:min(len(uris), subscriptionLimit)]
		m.sessions[session] = r
		m.save()
	}
}

// Remember implements mcphttp.Memory.
func (m *memory) Remember(session string, client mcp.Implementation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[session] = remembered{Name: cut(client.Name, 200), Version: cut(client.Version, 100), Began: time.Now().UTC()}
	if len(m.sessions) > memoryLimit {
		ids := slices.SortedFunc(maps.Keys(m.sessions), func(a, b string) int {
			return cmp.Or(m.sessions[a].Began.Compare(m.sessions[b].Began), cmp.Compare(a, b))
		})
		for _, id := range ids[:len(ids)-memoryLimit] {
			delete(m.sessions, id)
		}
	}
	m.save()
}

// Forget implements mcphttp.Memory.
func (m *memory) Forget(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.sessions[session]; ok {
		delete(m.sessions, session)
		m.save()
	}
}

// save writes the file, whole or not at all; m.mu is held.
func (m *memory) save() {
	if m.file == "" {
		return
	}
	b, err := json.Marshal(m.sessions)
	if err == nil {
		err = atomicfile.Write(m.file, b, 0o600)
	}
	if err != nil {
		m.log.Warn("the names of MCP sessions could not be kept", "cause", err)
	}
}
