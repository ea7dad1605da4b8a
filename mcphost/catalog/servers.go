package catalog

import "easel/eventbus"

// A NamedServer is a Jupyter server that the user adds in the window.
type NamedServer struct{ Name, URL, Token string }

// AddServer adds a server, now and on every start.
var AddServer = eventbus.NewTopic[NamedServer, struct{}]("add_server")

// RemoveServer removes a server that the user has added. Its kernels continue.
var RemoveServer = eventbus.NewTopic[string, struct{}]("remove_server")

// PreferServer makes a server the default.
var PreferServer = eventbus.NewTopic[string, struct{}]("prefer_server")
