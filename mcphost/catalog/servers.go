package catalog

import "easel/eventbus"

// AtServer is the part of a result that says which server it is about.
type AtServer struct {
	Server string `json:"server" jsonschema:"name of the Jupyter server"`
	// Several is whether Easel knows several servers. Otherwise a model does not need the
	// name.
	Several bool `json:"-"`
}

// briefServer returns the name of the server for a model; "" if there is only one.
func (s AtServer) briefServer() string {
	if !s.Several {
		return ""
	}
	return s.Server
}

// LinkTarget is the part of a result that says where a path leads.
type LinkTarget struct {
	RealPath string `json:"real_path,omitempty" jsonschema:"where the path leads through a symbolic link, if that is outside of the server's root"`
}

// OfServer is the parameter of notebook tools that chooses a server.
type OfServer struct {
	Server string `json:"server,omitempty" jsonschema:"Jupyter server; if omitted, the one where you connected to the notebook, or where it is open"`
}

// ofServer is the parameter of OfServer. It is rarely needed, so models are not told of it
// before it is.
var ofServer = []string{"server"}

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
