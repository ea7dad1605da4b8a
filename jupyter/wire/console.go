package wire

import "encoding/json"

// A Reply is what every reply says: content of "…_reply".
type Reply struct {
	Status    string   `json:"status"`
	Ename     string   `json:"ename,omitempty"`
	Evalue    string   `json:"evalue,omitempty"`
	Traceback []string `json:"traceback,omitempty"`
}

// A CompleteRequest asks how code can go on: content of "complete_request".
type CompleteRequest struct {
	Code      string `json:"code"`
	CursorPos int    `json:"cursor_pos"` // in code points
}

// A CompleteReply is the answer: content of "complete_reply".
type CompleteReply struct {
	Reply
	Matches     []string `json:"matches"`
	CursorStart int      `json:"cursor_start"` // what a match replaces, in code points
	CursorEnd   int      `json:"cursor_end"`
}

// An InspectRequest asks what is at a place in code: content of "inspect_request".
type InspectRequest struct {
	Code        string `json:"code"`
	CursorPos   int    `json:"cursor_pos"` // in code points
	DetailLevel int    `json:"detail_level"`
}

// An InspectReply is the answer: content of "inspect_reply".
type InspectReply struct {
	Reply
	Found bool                       `json:"found"`
	Data  map[string]json.RawMessage `json:"data"`
}
