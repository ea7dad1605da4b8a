package i18n

import "easel/mcphost/catalog"

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
	switch key, known := endings[e.Message]; {
	case e.Traceback != "":
		return e.Traceback
	case known:
		return c.T(key)
	case e.Type != "":
		return e.Type + ": " + e.Message
	default:
		return c.T("ended.status", c.T("status."+status), e.Message)
	}
}
