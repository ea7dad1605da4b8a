package catalog

import (
	"easel/eventbus"
)

// EditorPath is where the extension of an editor connects (docs/dev/editors.md).
const EditorPath = "/api/editor"

// EditorProtocol is the version of the protocol between Easel and an editor's extension.
const EditorProtocol = "1"

// An EditorLink is the connection of an editor's extension. Each message is a JSON object.
type EditorLink interface {
	// Receive returns the extension's next message. The error is eventbus.ErrClosed if Easel is shutting down. Only one goroutine may call it.
	Receive() ([]byte, error)
	// Send sends a message. It blocks for a limited time, and may be called on any goroutine.
	Send(message []byte) error
}

// ServeEditor serves the connection of an editor's extension. The handler returns when the connection or ctx has ended.
var ServeEditor = eventbus.NewTopic[EditorLink, struct{}]("serve_editor")

// ShownToEditor is what an editor shows of Easel.
type ShownToEditor struct {
	Questions int    `json:"questions"`      // that wait for the user's answer
	Plot      string `json:"plot,omitempty"` // address of the newest plot's picture, below Easel's URL; "" if there is none
	Title     string `json:"title,omitempty"`
}
