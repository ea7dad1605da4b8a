package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"easel/internal/atomicfile"
	"easel/internal/system"
)

// serversFile is the file with the user's Jupyter servers. It is separate from the settings,
// which assistants may read, because it contains tokens.
const serversFile = "servers.json"

// A Server is a Jupyter server that the user has added.
type Server struct {
	Name  string `json:"name"` // by which assistants refer to it
	URL   string `json:"url"`
	Token string `json:"token,omitempty"`
}

// String returns the name and the URL, without the token.
func (s Server) String() string { return s.Name + " at " + s.URL }

// Format writes s.String() for every verb, to keep the token out of all output.
func (s Server) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// serverName matches valid names of servers. They are words, because assistants repeat them.
var serverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$`)

// Errors of servers.
var (
	ErrServerName  = errors.New("a server's name is a word of letters, digits, dots and dashes, of up to 50 characters")
	ErrServerTwice = errors.New("two servers have the same name")
	// ErrServersDamaged means that the file is no list of servers.
	ErrServersDamaged = errors.New("the list of Jupyter servers is damaged")
)

// LoadServers reads the user's servers from a data directory. If there is no file, it returns
// none. It makes the file readable only by its owner. It does not rename or change an
// invalid file, which the user may have written.
func LoadServers(dir string) ([]Server, error) {
	path := filepath.Join(dir, serversFile)
	raw, err := system.ReadRegular(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, system.ErrNotRegular) {
		return nil, fmt.Errorf("%w: %w", ErrServersDamaged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the servers: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, fmt.Errorf("restricting access to %s: %w", serversFile, err)
	}
	var servers []Server
	if err := json.Unmarshal(raw, &servers); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrServersDamaged, err)
	}
	return servers, checkServers(servers)
}

// SetServersAside renames a damaged file with servers and returns its new path, so that the
// user can add servers again and look up the earlier ones.
func SetServersAside(dir string) (string, error) {
	path := filepath.Join(dir, serversFile)
	aside := brokenName(path)
	return aside, system.Rename(path, aside)
}

// ServersAside returns the paths of damaged files with servers.
func ServersAside(dir string) []string {
	return system.Glob(dir, serversFile+".broken-*")
}

// SaveServers writes the user's servers so that only the user can read them.
func SaveServers(dir string, servers []Server) error {
	if err := checkServers(servers); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(servers, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, serversFile), append(raw, '\n'), 0o600)
}

func checkServers(servers []Server) error {
	seen := make(map[string]bool)
	for _, s := range servers {
		switch {
		case !serverName.MatchString(s.Name):
			return fmt.Errorf("%w: %.60q", ErrServerName, s.Name)
		case seen[s.Name]:
			return fmt.Errorf("%w: %q", ErrServerTwice, s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}
