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

// Tokens makes and knows the tokens of assistants. Each follows from Easel's own token, the key of the file and the assistant's id, so
// that no file has it, and a new token of Easel or another file ends all. An assistant that the user has forgotten comes back with
// another id.
type Tokens struct {
	Store *state.Store
	Easel func() string // returns Easel's own token
}

// Of returns the token of a program. ok is false if it has none of its own, because Easel does not know it.
func (t Tokens) Of(c clients.Client) (_ string, ok bool) {
	if c.Name == "" {
		return "", false
	}
	kept := Of(t.Store.Snapshot())
	return kept.token(t.Easel(), kept.current(idOf(c.Name))), true
}

// Find returns the id of the assistant with a token.
func (t Tokens) Find(given string) (id string, ok bool) {
	return Of(t.Store.Snapshot()).Find(t.Easel(), given)
}

// Find returns the id of the assistant with a token, if easel is Easel's own token. It takes the same time for all tokens.
func (k Contents) Find(easel, given string) (id string, ok bool) {
	if easel == "" || !strings.HasPrefix(given, tool.AssistantToken) {
		return "", false
	}
	try := func(own string) {
		if subtle.ConstantTimeCompare([]byte(given), []byte(k.token(easel, own))) == 1 {
			id, ok = own, true
		}
	}
	for _, c := range clients.All { // also those that have never connected
		if c.Name != "" {
			try(k.current(idOf(c.Name)))
		}
	}
	for _, a := range k.Assistants {
		if _, known := ProgramOf(a.ID); !known && !a.Gone && a.ID != tool.Others {
			try(a.ID)
		}
	}
	return id, ok
}

func (k Contents) token(easel, id string) string {
	mac := hmac.New(sha256.New, []byte(easel))
	_, _ = io.WriteString(mac, "client\x00"+id) // never fails
	if k.Key != "" {
		_, _ = io.WriteString(mac, "\x00"+k.Key)
	}
	return tool.AssistantToken + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:24])
}

// again separates an id from how often the user has forgotten it.
const again = "~"

// idOf returns the first id of an assistant with a name.
func idOf(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// current returns the id that an assistant has now, by its first one.
func (k Contents) current(first string) string {
	id := first
	for n := 1; slices.ContainsFunc(k.Assistants, func(a state.Assistant) bool { return a.Gone && a.ID == id }); n++ {
		id = first + again + strconv.Itoa(n)
	}
	return id
}

// ProgramOf returns the program that has, or had, an id.
func ProgramOf(id string) (c clients.Client, ok bool) {
	id, _, _ = strings.Cut(id, again)
	i := slices.IndexFunc(clients.All, func(c clients.Client) bool { return c.Name != "" && idOf(c.Name) == id })
	if i < 0 {
		return clients.Client{}, false
	}
	return clients.All[i], true
}
