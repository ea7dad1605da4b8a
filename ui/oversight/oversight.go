// Package oversight decides what an assistant may do and what it gets to see: the
// pause, read-only access, approvals, and in what form pictures are delivered to a
// client.
//
// # Goroutines
//
// None of its own. Everything may be called from any goroutine; Ask waits on its
// caller's.
package oversight

import (
	"errors"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/state"
)

// Why Admit refuses.
var (
	ErrPaused   = errors.New("the user has paused the AI")
	ErrReadOnly = errors.New("the user lets the AI only read")
)

// Admit lets a caller do what spec says, or tells why not. The person at the desk
// may always; reading is allowed to everybody.
func Admit(s *state.Snapshot, caller tool.Caller, spec tool.Spec) error {
	switch {
	case caller.Transport == tool.Window || spec.ReadOnly():
		return nil
	case s.Paused:
		return ErrPaused
	case s.Settings.Access == AccessReadOnly:
		return ErrReadOnly
	default:
		return nil
	}
}

// inlineMax is how many pictures one result carries at most.
const inlineMax = 4

// textOnly are clients that give the model an inlined picture as a wall of
// base64, or drop it: they do better with links and paths. Found by what their
// users report; see docs/clients.md.
var textOnly = []string{"cline", "copilot-cli", "github copilot cli"}

// Delivery is the form in which a caller gets pictures: what it asked for, else
// what the user set for it or for all, else what suits the client.
func Delivery(s *state.Snapshot, caller tool.Caller, asked string) string {
	switch {
	case caller.Transport != tool.MCP:
		return catalog.ImagesLink
	case asked != "":
		return asked
	case s.Settings.DeliveryBy.Of(caller.Name) != "":
		return s.Settings.DeliveryBy.Of(caller.Name)
	case s.Settings.Delivery != "":
		return s.Settings.Delivery
	}
	name := strings.ToLower(caller.Name)
	for _, t := range textOnly {
		if strings.Contains(name, t) {
			return catalog.ImagesLink
		}
	}
	return catalog.ImagesInline
}

// Inline lists the images of a result that go into it as pictures.
func Inline(delivery string, images []catalog.Image) []string {
	if delivery != catalog.ImagesInline {
		return nil
	}
	var uris []string
	for _, i := range images {
		if len(uris) == inlineMax {
			break
		}
		if i.MIMEType != "image/svg+xml" && i.Interactive == "" {
			uris = append(uris, i.ResourceURI)
		}
	}
	return uris
}
