package mcphttp

import (
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// A peer holds what a client has said about itself. The calls of a session share one; a
// call without a session has its own.
type peer struct {
	mu      sync.Mutex
	client  mcp.Implementation
	caps    mcp.ClientCapabilities
	version string
	level   mcp.LoggingLevel
}

// GetClientInfo implements server.SessionWithClientInfo.
func (p *peer) GetClientInfo() mcp.Implementation {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.client
}

// SetClientInfo implements server.SessionWithClientInfo.
func (p *peer) SetClientInfo(i mcp.Implementation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.client = i
}

// GetClientCapabilities implements server.SessionWithClientInfo.
func (p *peer) GetClientCapabilities() mcp.ClientCapabilities {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.caps
}

// SetClientCapabilities implements server.SessionWithClientInfo.
func (p *peer) SetClientCapabilities(c mcp.ClientCapabilities) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.caps = c
}

// ProtocolVersion implements server.SessionWithProtocolVersion.
func (p *peer) ProtocolVersion() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

// SetProtocolVersion records what initialize negotiated.
func (p *peer) SetProtocolVersion(v string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version = v
}

// GetLogLevel implements server.SessionWithLogging.
func (p *peer) GetLogLevel() mcp.LoggingLevel {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.level == "" {
		return mcp.LoggingLevelError
	}
	return p.level
}

// SetLogLevel implements server.SessionWithLogging.
func (p *peer) SetLogLevel(l mcp.LoggingLevel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.level = l
}
