package mcphttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// A message is the part of a posted message that the transport needs.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`

	header  string // version in the header
	meta    string // version in params._meta
	idValue any
}

func (m *message) modern() bool {
	return mcp.IsModernProtocol(m.header) || mcp.IsModernProtocol(m.meta)
}

// notification reports whether the message is a notification: it has a method and no id.
func (m *message) notification() bool { return m.Method != "" && len(m.ID) == 0 }

// unsupported rejects a protocol version and lists the supported ones.
func unsupported(version string) *refusal {
	e := mcp.UnsupportedProtocolVersionError{Version: version, Supported: mcp.ValidProtocolVersions}.JSONRPCError().Error
	return &refusal{
		http.StatusBadRequest, e.Code,
		fmt.Sprintf("unsupported protocol version %.40q; supported: %s", version, strings.Join(mcp.ValidProtocolVersions, ", ")), e.Data,
	}
}

// A refusal is an answer of the transport itself.
type refusal struct {
	status  int
	code    int
	message string
	data    any
}

// parse parses a posted message. m is never nil.
func parse(raw []byte, header http.Header) (m *message, no *refusal) {
	m = &message{header: header.Get(mcp.HeaderProtocolVersion)}
	if t := bytes.TrimSpace(raw); len(t) > 0 && t[0] == '[' {
		return m, &refusal{http.StatusBadRequest, mcp.INVALID_REQUEST, "batches are no longer part of MCP: post one message", nil}
	}
	if err := json.Unmarshal(raw, m); err != nil {
		return m, &refusal{http.StatusBadRequest, mcp.PARSE_ERROR, "the body is not a JSON-RPC message: " + err.Error(), nil}
	}
	if string(m.ID) == "null" || m.Method == "" && m.Result == nil && m.Error == nil {
		return m, &refusal{http.StatusBadRequest, mcp.INVALID_REQUEST, "neither a request, a notification nor a response", nil}
	}
	_ = json.Unmarshal(m.ID, &m.idValue) // nil if absent
	var p struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	if json.Unmarshal(m.Params, &p) == nil {
		m.meta = p.Meta.ProtocolVersion()
	}
	return m, nil
}

// check checks a message's protocol version and, since 2026-07-28, its headers.
func (m *message) check(header http.Header) *refusal {
	if !m.modern() {
		if m.header != "" && m.Method != string(mcp.MethodInitialize) && !mcp.IsValidProtocolVersion(m.header) {
			return unsupported(m.header)
		}
		return nil
	}
	bad := func(code int, format string, args ...any) *refusal {
		return &refusal{http.StatusBadRequest, code, fmt.Sprintf(format, args...), nil}
	}
	switch {
	case m.Method == "":
		return bad(mcp.INVALID_REQUEST, "in protocol %s a server sends no requests, so there is nothing to respond to", mcp.ProtocolVersion20260728)
	case header.Get(mcp.HeaderLastEventID) != "":
		return bad(mcp.HEADER_MISMATCH, "Last-Event-ID: streams cannot be resumed, post the request again with a new id")
	case m.header == "":
		return bad(mcp.HEADER_MISMATCH, "the header %s is missing", mcp.HeaderProtocolVersion)
	case !mcp.IsValidProtocolVersion(m.header):
		return unsupported(m.header)
	case m.meta == "" && m.notification():
		// The SDKs for Go and TypeScript put _meta only into requests. Go's SDK never
		// sends anything again after one rejection.
	case m.meta == "":
		return bad(mcp.INVALID_PARAMS, "_meta has no valid %s", mcp.MetaKeyProtocolVersion)
	case m.header != m.meta:
		return bad(mcp.HEADER_MISMATCH, "the header %s says %s, _meta says %s", mcp.HeaderProtocolVersion, m.header, m.meta)
	}
	if m.notification() && header.Get(mcp.HeaderMethod) == "" {
		return nil // it is not used for routing
	}
	if err := mcp.ValidateStandardHeaders(header.Get, m.header, mcp.MCPMethod(m.Method), m.Params); err != nil {
		return bad(mcp.HEADER_MISMATCH, "%v", err)
	}
	return nil
}
