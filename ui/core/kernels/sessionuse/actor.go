package sessionuse

import (
	"context"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// An Actor is who did something to a kernel. The zero Actor is not known.
type Actor struct {
	ID   string // tool.Caller.Identity; "" for the user and for what is not a client of Easel
	Name string // for a sentence, for example "claude-code 2.1"
}

// Actors that are not clients of Easel.
var (
	theUser      = Actor{Name: "the user, in Easel's window"}
	OutsideEasel = Actor{Name: "someone outside Easel, for example the user in JupyterLab"}
	WhileAway    = Actor{Name: "unknown: it happened while Easel was not connected to the kernel"}
	Itself       = Actor{Name: "the kernel itself: it died, for example because it ran out of memory"}
	EndedItself  = Actor{Name: "the kernel itself: it had ended, so a new one was started"}
	EaselBegan   = Actor{Name: "Easel: it was started again, and the kernel had ended"}
	OtherKernel  = Actor{Name: "someone outside Easel, who chose another kernel for the notebook"}
)

// Died is Itself for a kernel of which is known how it died.
func Died(d catalog.Death) Actor {
	return Actor{Name: "the kernel itself: it died. " + strings.TrimSuffix(d.String(), ".")}
}

// ActorOf returns the caller of ctx.
func ActorOf(ctx context.Context) Actor { return ActorBy(tool.CallerFrom(ctx)) }

// ActorBy returns the actor that c is.
func ActorBy(c tool.Caller) Actor {
	switch c.Transport {
	case tool.Window:
		return theUser
	case "":
		return Actor{Name: "Easel"}
	default:
		return Actor{ID: c.Identity(), Name: c.String()}
	}
}

// To returns the actor's name for another client, which may have the same name.
func (a Actor) To(client Actor) string {
	if a.ID != "" && a.ID != client.ID && a.Name == client.Name {
		return "another " + a.Name
	}
	return a.Name
}
