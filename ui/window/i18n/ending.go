package i18n

import (
	"regexp"
	"strings"

	"easel/mcphost/catalog"
)

// endings are the messages of executions that ended with their kernel.
var endings = map[string]string{
	catalog.MessageDied:          "ended.died",
	catalog.MessageDiedRestarted: "ended.died_restarted",
	catalog.MessageRestarted:     "ended.restarted",
	catalog.MessageReplaced:      "ended.replaced",
	catalog.MessageShutDown:      "ended.shut_down",
}

// Failure says how an execution with a status failed: by its traceback, the exception, or a
// sentence for what Easel noticed. Easel's own messages are for assistants, so the status comes
// first, in the user's language, unless the whole message is known in it.
func (c *Catalog) Failure(status string, e catalog.ExecutionError) string {
	switch key, death, known := ending(e.Message); {
	case e.Traceback != "":
		return e.Traceback
	case known:
		return c.T(key) + c.Explained(death)
	case e.Type != "":
		return e.Type + ": " + e.Message
	default:
		return c.T("ended.status", c.T("status."+status), e.Message)
	}
}

// ending returns the key of a message, and what follows it: how the kernel died.
func ending(message string) (key, death string, known bool) {
	for begin, key := range endings {
		if rest, ok := strings.CutPrefix(message, begin); ok && (rest == "" || rest[0] == ' ') {
			return key, strings.TrimPrefix(rest, " "), true
		}
	}
	return "", "", false
}

// Explained says how a kernel died, with its last words if they are known, as the continuation of another sentence; "" for "".
func (c *Catalog) Explained(death string) string {
	if death == "" {
		return ""
	}
	how, words, said := strings.Cut(death, " Its last lines on stderr:\n")
	how = c.T("death.after", c.Death(how))
	if said {
		how += c.T("death.words") + "\n" + words
	}
	return how
}

// deaths are the sentences of catalog.Death, and their keys.
var deaths = []struct {
	says *regexp.Regexp
	key  string
}{
	{regexp.MustCompile(`^It was killed by the system at (\S+) of (\S+) GB: out of memory\.$`), "death.memory_at"},
	{regexp.MustCompile(`^It was killed by the system: out of memory\.$`), "death.memory"},
	{regexp.MustCompile(`^It was killed \((\S+)\); its memory had reached (\S+) of (\S+) GB\.$`), "death.killed_at"},
	{regexp.MustCompile(`^It was killed \((.+)\)\.$`), "death.killed"},
	{regexp.MustCompile(`^It crashed \((.+)\)\.$`), "death.crashed"},
	{regexp.MustCompile(`^It ended itself with exit code (\d+)\.$`), "death.exit"},
}

// Death says in the language how a kernel died, as catalog.Death says it in English.
func (c *Catalog) Death(how string) string {
	for _, d := range deaths {
		if found := d.says.FindStringSubmatch(how); found != nil {
			args := make([]any, len(found)-1)
			for i, f := range found[1:] {
				args[i] = f
			}
			return c.T(d.key, args...)
		}
	}
	return how
}
