package roster

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"easel/mcphost/tool"
	"easel/ui/core/clients"
	"easel/ui/core/state"
)

// Tokens makes and knows the tokens of assistants. Each follows from Easel's own token, the assistant's id and how often the
// user has taken its token back, so that no file has it, and a new token of Easel ends all.
type Tokens struct {
	Store *state.Store
	Easel func() string // returns Easel's own token
}

// Of returns the token of an assistant.
func (t Tokens) Of(id string) string {
	return token(t.Easel(), id, t.Store.Snapshot().Assistant(id).Issue)
}

// Find returns the id of the assistant with a token.
func (t Tokens) Find(given string) (id string, ok bool) {
	return Find(t.Easel(), given, t.Store.Snapshot().Assistants)
}

// Find returns the id of the assistant with a token, if easel is Easel's own token. It takes the same time for all tokens.
func Find(easel, given string, all []state.Assistant) (id string, ok bool) {
	if easel == "" || !strings.HasPrefix(given, tool.AssistantToken) {
		return "", false
	}
	s := state.Snapshot{Assistants: all}
	for _, c := range clients.All {
		own := ID(c)
		if own != "" && subtle.ConstantTimeCompare([]byte(given), []byte(token(easel, own, s.Assistant(own).Issue))) == 1 {
			id, ok = own, true
		}
	}
	return id, ok
}

func token(easel, id string, issue int) string {
	mac := hmac.New(sha256.New, []byte(easel))
	_, _ = fmt.Fprintf(mac, "client\x00%s\x00%d", id, issue) // never fails
	return tool.AssistantToken + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:24])
}

// ID returns the id of the assistant that is a program; "" for a program that is not known, which has Easel's own token.
func ID(c clients.Client) string {
	return strings.ReplaceAll(strings.ToLower(c.Name), " ", "-")
}
