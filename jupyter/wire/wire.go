// Package wire encodes and decodes the messages that a Jupyter server and its clients
// exchange on a kernel's websocket, in both subprotocols, and those that a kernel
// exchanges on its own sockets ([SignedCodec]).
//
// The package does no I/O. What it decodes comes from outside, so it checks every length
// and offset before use.
//
// # Memory
//
// A picture of 30 MB arrives as one frame of 40 MB. A decoded [Message] shares the
// frame's memory: Content and Buffers are slices of it, not copies, and keep the whole
// frame alive. Headers are copies. [Message.Decode] copies small values, so that keeping
// a picture's caption does not keep the picture.
//
// # Goroutines
//
// The package starts none. A [Decoder] belongs to one goroutine at a time; everything
// else may be used from any goroutine.
package wire

import (
	"encoding/json"
	"fmt"
	"time"
)

// The channels of a kernel.
const (
	Shell   = "shell"
	Control = "control"
	IOPub   = "iopub"
	Stdin   = "stdin"
)

// ProtocolVersion is the version of the message specification that requests made here
// follow.
const ProtocolVersion = "5.4"

// A Message is one message of the Jupyter protocol.
type Message struct {
	Channel  string          // shell, control, iopub or stdin
	Header   Header          // what it is and who sent it
	Parent   Header          // of the request that caused it; zero if there is none
	Metadata json.RawMessage // a JSON object
	Content  json.RawMessage // a JSON object; see Decode
	Buffers  [][]byte        // binary data, as widgets send it
}

// ParentID returns the msg_id of the request that caused m, or "".
func (m *Message) ParentID() string { return m.Parent.MsgID }

// Type returns the message's msg_type, for example "execute_reply".
func (m *Message) Type() string { return m.Header.MsgType }

// A Header says what a message is and who sent it.
type Header struct {
	MsgID      string
	MsgType    string
	Session    string // of the client that sent the request
	Username   string
	Version    string    // of the message specification
	Date       time.Time // zero if missing or invalid
	SubshellID string    // of the subshell that is addressed; "" means the main shell
}

// IsZero reports whether h is empty.
func (h Header) IsZero() bool { return h == Header{} }

// jsonHeader is the JSON form of a header.
type jsonHeader struct {
	MsgID      string `json:"msg_id"`
	MsgType    string `json:"msg_type"`
	Session    string `json:"session"`
	Username   string `json:"username"`
	Version    string `json:"version"`
	Date       string `json:"date,omitempty"`
	SubshellID string `json:"subshell_id,omitempty"`
}

// MarshalJSON encodes h as a JSON object: {} if it is zero.
func (h Header) MarshalJSON() ([]byte, error) {
	if h.IsZero() {
		return []byte("{}"), nil
	}
	j := jsonHeader{
		MsgID: h.MsgID, MsgType: h.MsgType, Session: h.Session, Username: h.Username,
		Version: h.Version, SubshellID: h.SubshellID,
	}
	if !h.Date.IsZero() {
		j.Date = h.Date.UTC().Format(time.RFC3339Nano)
	}
	return json.Marshal(j)
}

// UnmarshalJSON decodes a JSON object. It ignores an invalid date, because that is no
// reason to lose a message.
func (h *Header) UnmarshalJSON(data []byte) error {
	var j jsonHeader
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*h = Header{
		MsgID: j.MsgID, MsgType: j.MsgType, Session: j.Session, Username: j.Username,
		Version: j.Version, SubshellID: j.SubshellID,
	}
	if date, err := time.Parse(time.RFC3339, j.Date); err == nil {
		h.Date = date
	}
	return nil
}

// A FormatError means that a frame is not a valid message.
type FormatError struct{ Reason string }

// Error says what is wrong with the frame.
func (e *FormatError) Error() string { return "not a Jupyter message: " + e.Reason }

func formatErrorf(format string, args ...any) error {
	return &FormatError{fmt.Sprintf(format, args...)}
}

// orObject returns data, or {} if it is empty.
func orObject(data json.RawMessage) json.RawMessage {
	if len(data) == 0 {
		return json.RawMessage("{}")
	}
	return data
}
