package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Decode decodes the content into v: a pointer to one of the content types of this
// package, or to anything that [json.Unmarshal] accepts.
func (m *Message) Decode(v any) error {
	var err error
	switch v := v.(type) {
	case *DisplayData:
		err = v.decode(m.Content)
	case *ExecuteResult:
		err = v.decode(m.Content)
	default:
		err = json.Unmarshal(orObject(m.Content), v)
	}
	if err != nil {
		return fmt.Errorf("content of %s: %w", m.Header.MsgType, err)
	}
	return nil
}

// The execution states of a [Status].
const (
	StateBusy           = "busy"
	StateIdle           = "idle"
	StateStarting       = "starting"
	StateRestarting     = "restarting"
	StateAutoRestarting = "autorestarting"
	StateDead           = "dead"
)

// A Status is the state of a kernel: content of "status" on iopub. Without a parent it
// is about the kernel itself: starting, restarting, dead.
type Status struct {
	ExecutionState string `json:"execution_state"`
	// End is how the former process ended. Only Easel's own servers say so.
	End *ProcessEnd `json:"easel_end,omitempty"`
}

// A ProcessEnd is how a kernel's process ended; see easel_ending.py.
type ProcessEnd struct {
	Code        int    `json:"code"`                    // negative: the number of the signal
	Signal      string `json:"signal,omitempty"`        // its name
	Memory      int64  `json:"memory,omitempty"`        // the most bytes that it ever had; 0 if that is not known
	Total       int64  `json:"total,omitempty"`         // how many it could have had
	OutOfMemory bool   `json:"out_of_memory,omitempty"` // the system killed it because memory was short
	Words       string `json:"words,omitempty"`         // its last lines on stderr
}

// ExecuteInput is the code that a client runs: content of "execute_input".
type ExecuteInput struct {
	Code           string `json:"code"`
	ExecutionCount int    `json:"execution_count"`
}

// A Stream is printed text: content of "stream".
type Stream struct {
	Name string `json:"name"` // stdout or stderr
	Text string `json:"text"`
}

// DisplayData is displayed output: content of "display_data" and "update_display_data".
type DisplayData struct {
	// Data maps MIME types to forms: a JSON string (base64 for binary types) or, for the
	// JSON types, any value. See [Text] and [Base64]. Large forms share the memory of
	// the message.
	Data      map[string]json.RawMessage `json:"data"`
	Metadata  map[string]json.RawMessage `json:"metadata"`
	Transient Transient                  `json:"transient"`
}

// Transient is the part of a display that is not stored in a notebook.
type Transient struct {
	DisplayID string `json:"display_id,omitempty"` // to which update_display_data refers
	// Easel is what Easel's modules say about the figure that is displayed. If it is large, it
	// shares the memory of the message.
	Easel json.RawMessage `json:"easel,omitempty"`
}

// maxTransient is the size up to which [Transient.Easel] is read.
const maxTransient = 8 << 20

// An ExecuteResult is the value of the last expression: content of
// "execute_result".
type ExecuteResult struct {
	DisplayData
	ExecutionCount int `json:"execution_count"`
}

// ErrorContent is an exception: content of "error".
type ErrorContent struct {
	Ename     string   `json:"ename"`
	Evalue    string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// ClearOutput clears the output so far: content of "clear_output".
type ClearOutput struct {
	Wait bool `json:"wait"` // wait until there is new output
}

// ShutdownReply reports that the kernel is ending: content of "shutdown_reply", which is
// also sent on iopub.
type ShutdownReply struct {
	Restart bool `json:"restart"`
}

// The statuses of a reply.
const (
	ReplyOK      = "ok"
	ReplyError   = "error"
	ReplyAborted = "aborted" // not run, because an earlier request failed
)

// An ExecuteRequest runs code: content of "execute_request".
type ExecuteRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    bool              `json:"store_history"`
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`
	StopOnError     bool              `json:"stop_on_error"`
}

// An InputRequest asks the client whose code runs for a line of text: content of "input_request" on stdin.
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"` // what is typed must not be shown
}

// An InputReply answers it: content of "input_reply".
type InputReply struct {
	Status string `json:"status"`
	Value  string `json:"value"`
}

// An ExecuteReply is the reply on the shell channel: content of "execute_reply". It may
// arrive before or after the outputs.
type ExecuteReply struct {
	Status          string                      `json:"status"`
	ExecutionCount  int                         `json:"execution_count"`
	UserExpressions map[string]ExpressionResult `json:"user_expressions,omitempty"`
	Ename           string                      `json:"ename,omitempty"`
	Evalue          string                      `json:"evalue,omitempty"`
	Traceback       []string                    `json:"traceback,omitempty"`
	Payload         []json.RawMessage           `json:"payload,omitempty"`
}

// Page returns what a payload of a reply asks the client to show in a pager, such as the help for
// an object. It returns false for other payloads.
func Page(payload json.RawMessage) (data map[string]json.RawMessage, ok bool) {
	var p struct {
		Source string                     `json:"source"`
		Data   map[string]json.RawMessage `json:"data"`
	}
	err := json.Unmarshal(payload, &p)
	return p.Data, err == nil && p.Source == "page"
}

// AsksExit reports whether a payload of a reply asks the client to end the kernel.
func AsksExit(payload json.RawMessage) bool {
	var p struct {
		Source     string `json:"source"`
		KeepKernel bool   `json:"keepkernel"`
	}
	return json.Unmarshal(payload, &p) == nil && p.Source == "ask_exit" && !p.KeepKernel
}

// An ExpressionResult is the value of one of the expressions of a request, or the
// exception that it raised.
type ExpressionResult struct {
	Status    string                     `json:"status"` // ok or error
	Data      map[string]json.RawMessage `json:"data,omitempty"`
	Metadata  map[string]json.RawMessage `json:"metadata,omitempty"`
	Ename     string                     `json:"ename,omitempty"`
	Evalue    string                     `json:"evalue,omitempty"`
	Traceback []string                   `json:"traceback,omitempty"`
}

// Text returns the text/plain form, which is the repr. It is "" for an error.
func (r ExpressionResult) Text() string {
	s, err := Text(r.Data["text/plain"])
	if err != nil {
		return ""
	}
	return s
}

// A KernelInfoReply describes a kernel: content of "kernel_info_reply".
type KernelInfoReply struct {
	Status                string       `json:"status"`
	ProtocolVersion       string       `json:"protocol_version"`
	Implementation        string       `json:"implementation"`
	ImplementationVersion string       `json:"implementation_version"`
	LanguageInfo          LanguageInfo `json:"language_info"`
	Banner                string       `json:"banner"`
	SupportedFeatures     []string     `json:"supported_features"`
}

// CellsOnly is the implementation of a kernel of Easel's own package local that runs only a notebook's cells.
const CellsOnly = "easel-cells-only"

// LanguageInfo is the language of a kernel.
type LanguageInfo struct {
	Name          string `json:"name"`
	Version       string `json:"version"`
	MIMEType      string `json:"mimetype"`
	FileExtension string `json:"file_extension"`
}

// A CreateSubshellReply answers create_subshell_request on the control channel.
type CreateSubshellReply struct {
	Status     string `json:"status"`
	SubshellID string `json:"subshell_id,omitempty"`
	Ename      string `json:"ename,omitempty"`
	Evalue     string `json:"evalue,omitempty"`
}

// A ListSubshellReply answers list_subshell_request on the control channel.
type ListSubshellReply struct {
	Status      string   `json:"status"`
	SubshellIDs []string `json:"subshell_id"` // a list, despite its name
}

// shareFrom is the size from which a value shares the memory of its message instead of
// being copied. For smaller values, a copy is cheaper than keeping the frame alive.
const shareFrom = 4 << 10

func keep(value json.RawMessage) json.RawMessage {
	if len(value) < shareFrom {
		return bytes.Clone(value)
	}
	return value
}

func (d *DisplayData) decode(content []byte) error {
	return members(content, func(key string, value json.RawMessage) error { return d.member(key, value) })
}

func (d *DisplayData) member(key string, value json.RawMessage) (err error) {
	switch key {
	case "data":
		d.Data, err = bundle(value)
	case "metadata":
		d.Metadata, err = bundle(value)
	case "transient":
		err = d.Transient.decode(value)
	}
	return err
}

func (t *Transient) decode(object []byte) error {
	return members(object, func(key string, value json.RawMessage) error {
		switch {
		case key == "display_id":
			return json.Unmarshal(value, &t.DisplayID)
		case key == "easel" && len(value) <= maxTransient:
			t.Easel = keep(value)
		}
		return nil
	})
}

func (r *ExecuteResult) decode(content []byte) error {
	return members(content, func(key string, value json.RawMessage) error {
		if key == "execution_count" {
			return json.Unmarshal(value, &r.ExecutionCount)
		}
		return r.member(key, value)
	})
}

func bundle(object []byte) (map[string]json.RawMessage, error) {
	values := make(map[string]json.RawMessage)
	err := members(object, func(key string, value json.RawMessage) error {
		values[key] = keep(value)
		return nil
	})
	return values, err
}
