package window

import (
	"easel/ui/core/clients"
	"easel/ui/core/command"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// sendAgain returns a function that sends a plot to a client again, and says when the client gets it.
func sendAgain(a *App) func(id, client string) {
	return func(id, client string) {
		requests.Topic(a.requests, "send_again", command.SendAgain, command.SendAgainIn{ImageID: id, Client: client}, func(struct{}) {
			if c, ok := clients.Find(client); ok && c.Name != "" {
				client = c.Name
			}
			a.shell.flash(kit.MarkCheck, a.kit().T("sent.will", client))
		})
	}
}
