package catalog

import "easel/eventbus"

// A NamedServer is a Jupyter server of the user's, as they add it in the window.
type NamedServer struct{ Name, URL, Token string }

// AddServer makes a server known, now and at every start.
var AddServer = eventbus.NewTopic[NamedServer, struct{}]("add_server")

// RemoveServer forgets one that the user has added; its kernels go on.
var RemoveServer = eventbus.NewTopic[string, struct{}]("remove_server")

// PreferServer makes a server the one that is meant where none is named.
var PreferServer = eventbus.NewTopic[string, struct{}]("prefer_server")
