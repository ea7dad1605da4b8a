package command

import "easel/eventbus"

// A NamedServer is a Jupyter server that the user adds in the window.
type NamedServer struct{ Name, URL, Token string }

// AddServer adds a server, now and on every start.
var AddServer = eventbus.NewTopic[NamedServer, struct{}]("add_server")

// RemoveServer removes a server that the user has added. Its kernels continue.
var RemoveServer = eventbus.NewTopic[string, struct{}]("remove_server")

// PreferServer makes a server the default.
var PreferServer = eventbus.NewTopic[string, struct{}]("prefer_server")

// StartJupyterIn says from where packages are installed. If both are omitted, nothing
// changes.
type StartJupyterIn struct {
	Offline string // a directory or file made by `easel env export`
	Online  bool   // from the network
}

// StartJupyter starts Easel's own Jupyter after its start failed or was cancelled, and
// makes an installation that failed try again.
var StartJupyter = eventbus.NewTopic[StartJupyterIn, struct{}]("start_jupyter")

// CancelJupyter cancels the start of Easel's own Jupyter, for example its installation.
var CancelJupyter = eventbus.NewTopic[struct{}, struct{}]("cancel_jupyter")
