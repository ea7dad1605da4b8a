package catalog

// AtServer is the part of a result that says which server it is about.
type AtServer struct {
	Server string `json:"server" jsonschema:"name of the Jupyter server"`
	// Several is whether Easel knows several servers. Otherwise a model does not need the
	// name.
	Several bool `json:"-"`
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
