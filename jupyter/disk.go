package jupyter

import "path/filepath"

// WithRoot says how to find the directory on this machine whose files the server serves, if
// it is known. Otherwise root returns "".
func WithRoot(root func() string) Option { return func(s *Server) { s.root = root } }

// WithGuard makes the client refuse files. why is given the path of a file on this machine,
// and returns the reason of a [PathError], or "". A server whose root is not known has no
// such paths.
func WithGuard(why func(path string) string) Option { return func(s *Server) { s.guard = why } }

// Root returns the directory whose files the server serves, or "" if it is not known. The
// server may be on another machine.
func (s *Server) Root() string {
	if s.root == nil {
		return ""
	}
	return s.root()
}

// Disk returns the path of a file, in the server's own spelling, on the server's disk, or "" if
// it is not known.
func (s *Server) Disk(own string) string {
	root := s.Root()
	if root == "" {
		return ""
	}
	return filepath.Join(root, filepath.FromSlash(own))
}

// Elsewhere reports whether the server may be on another machine: it is reached by a [Route].
func (s *Server) Elsewhere() bool { return s.route != nil }

// allowed returns an error if the client must not use a path, in the server's own spelling.
func (s *Server) allowed(own string) error {
	if s.guard == nil {
		return nil
	}
	if disk := s.Disk(own); disk != "" {
		if reason := s.guard(disk); reason != "" {
			return &PathError{reason}
		}
	}
	return nil
}

// ownPath returns the server's spelling of a path that the client may use.
func (s *Server) ownPath(path string) (string, error) {
	clean, err := CleanPath(path)
	if err != nil {
		return "", err
	}
	own := s.spelled.of(clean)
	return own, s.allowed(own)
}
