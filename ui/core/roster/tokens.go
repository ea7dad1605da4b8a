package roster

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"io"
	"slices"
	"strconv"
	"strings"

	"easel/mcphost/tool"
	"easel/ui/core/clients"
	"easel/ui/core/state"
)

// Tokens makes and knows the tokens of assistants. Each follows from Easel's own token and the assistant's id, so that no file has
// it, and a new token of Easel ends all. An assistant that the user has forgotten comes back with another id.
type Tokens struct {
	Store *state.Store
	Easel func() string // returns Easel's own token
}

// Of returns the token of a program. ok is false if it has none of its own, because Easel does not know it.
func (t Tokens) Of(c clients.Client) (_ string, ok bool) {
	id := Current(t.Store.Snapshot().Assistants, c)
	return token(t.Easel(), id), id != ""
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
	for _, c := range clients.All {
		own := Current(all, c)
		if own != "" && subtle.ConstantTimeCompare([]byte(given), []byte(token(easel, own))) == 1 {
			id, ok = own, true
		}
	}
	return id, ok
}

func token(easel, id string) string {
	mac := hmac.New(sha256.New, []byte(easel))
	_, _ = io.WriteString(mac, "client\x00"+id) // never fails
	return tool.AssistantToken + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:24])
}

// again separates a program's id from how often the user has forgotten it.
const again = "~"

// Current returns the id that a program has now; "" for a program that is not known.
func Current(all []state.Assistant, c clients.Client) string {
	first := strings.ReplaceAll(strings.ToLower(c.Name), " ", "-")
	id := first
	for n := 1; first != "" && slices.ContainsFunc(all, func(a state.Assistant) bool { return a.Gone && a.ID == id }); n++ {
		id = first + again + strconv.Itoa(n)
	}
	return id
}

// ProgramOf returns the program that has, or had, an id.
func ProgramOf(id string) (c clients.Client, ok bool) {
	id, _, _ = strings.Cut(id, again)
	i := slices.IndexFunc(clients.All, func(c clients.Client) bool { return c.Name != "" && Current(nil, c) == id })
	if i < 0 {
		return clients.Client{}, false
	}
	return clients.All[i], true
}
