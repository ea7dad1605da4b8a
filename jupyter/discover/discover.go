// Package discover finds the Jupyter servers that the user runs on this machine. Each
// server describes in a file how to reach it (jpserver-PID.json in Jupyter's runtime
// directory). The file contains a token, and remains when its server dies. So the
// package returns only servers that belong to the user, are running, and accept the
// token.
//
// # Goroutines
//
// It starts none; its functions run on their caller's goroutine.
package discover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"easel/internal/system"
	"easel/jupyter"
)

// A Server is a Jupyter server that runs on this machine.
type Server struct {
	Name    string // display name, for example "local-8888"
	URL     string // without token
	Token   string
	RootDir string
	PID     int
	File    string // the runtime file
}

// String returns the name and the URL, without the token.
func (s Server) String() string { return s.Name + " at " + s.URL }

// Format keeps the token out of formatted output.
func (s Server) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// Dirs returns the directories in which Jupyter may put its runtime files, the most
// likely first: only $JUPYTER_RUNTIME_DIR if it is set, otherwise runtime in the data
// directories. goos is a value of runtime.GOOS.
func Dirs(goos, home string, getenv func(string) string) []string {
	if dir := getenv("JUPYTER_RUNTIME_DIR"); dir != "" {
		return []string{dir}
	}
	dirs := DataDirs(goos, home, getenv)
	for i, d := range dirs {
		dirs[i] = filepath.Join(d, "runtime")
	}
	return dirs
}

// DataDirs returns the user's data directories, as jupyter_core finds them, the most
// likely first.
func DataDirs(goos, home string, getenv func(string) string) (dirs []string) {
	add := func(parts ...string) {
		if dir := filepath.Join(parts...); parts[0] != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	add(getenv("JUPYTER_DATA_DIR"))
	switch goos {
	case "windows":
		add(getenv("APPDATA"), "jupyter")
		add(getenv("LOCALAPPDATA"), "jupyter") // with JUPYTER_PLATFORM_DIRS
	case "darwin":
		add(home, "Library", "Jupyter")
		add(home, "Library", "Application Support", "Jupyter") // likewise
	default:
		add(getenv("XDG_DATA_HOME"), "jupyter")
		add(home, ".local", "share", "jupyter")
	}
	return dirs
}

// maxFile is the maximum size of a runtime file in bytes. Usually it has a few hundred.
const maxFile = 64 << 10

// answerTime is the timeout for a server's answer. Tests change it.
var answerTime = 3 * time.Second

// Find returns the servers in dirs that answer, by port. It skips servers for whose URL
// known returns true, without contacting them. It ignores files that are not usable,
// because stale ones are normal.
func Find(ctx context.Context, dirs []string, known func(url string) bool) []Server {
	var found []Server
	for _, dir := range dirs {
		for _, path := range system.Glob(dir, "jpserver-*.json") {
			s, err := Read(path)
			if err != nil || known(s.URL) || slices.ContainsFunc(found, func(o Server) bool { return o.URL == s.URL }) {
				continue
			}
			if s.answers(ctx) {
				found = append(found, s)
			}
		}
	}
	return found
}

// Root returns the directory that the server at a URL serves, by its runtime file in dirs, or
// "" if none of these is the server's.
func Root(dirs []string, address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return ""
	}
	for _, dir := range dirs {
		for _, path := range system.Glob(dir, "jpserver-*.json") {
			s, err := Read(path)
			if err != nil {
				continue
			}
			own, err := url.Parse(s.URL)
			if err == nil && own.Port() == at.Port() && (own.Hostname() == at.Hostname() || loopback(own.Hostname()) && loopback(at.Hostname())) {
				return s.RootDir
			}
		}
	}
	return ""
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Errors of Read.
var (
	ErrDead      = errors.New("the process is no more")
	ErrNoAddress = errors.New("the server has no address that can be used")
)

// Read reads a runtime file, if it belongs to the user and its process is running.
func Read(path string) (Server, error) {
	data, err := system.ReadPrivate(path, maxFile)
	if err != nil {
		return Server{}, err
	}
	s, err := Parse(data)
	if err == nil && !alive(s.PID) {
		err = ErrDead
	}
	if err != nil {
		return Server{}, fmt.Errorf("%s: %w", path, err)
	}
	s.File = path
	return s, nil
}

// Parse parses the content of a runtime file. It does not check whether the server is
// running. The errors are ErrDead and ErrNoAddress, besides those of invalid JSON.
func Parse(data []byte) (Server, error) {
	var told struct {
		Hostname string `json:"hostname"`
		Port     int    `json:"port"`
		BaseURL  string `json:"base_url"`
		Token    string `json:"token"`
		RootDir  string `json:"root_dir"`
		Secure   bool   `json:"secure"`
		Sock     string `json:"sock"`
		PID      int    `json:"pid"`
	}
	if err := json.Unmarshal(data, &told); err != nil {
		return Server{}, err
	}
	switch {
	case told.PID <= 0:
		return Server{}, ErrDead
	case told.Sock != "" || told.Port <= 0 || told.Port > 65535:
		return Server{}, ErrNoAddress
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host(told.Hostname), strconv.Itoa(told.Port)), Path: "/" + strings.Trim(told.BaseURL, "/")}
	if told.Secure {
		u.Scheme = "https"
	}
	return Server{
		Name: "local-" + strconv.Itoa(told.Port), URL: strings.TrimSuffix(u.String(), "/"),
		Token: told.Token, RootDir: told.RootDir, PID: told.PID,
	}, nil
}

// host returns the host under which a server that listens on name is reached from this
// machine. Jupyter rejects Host headers with other than loopback names.
func host(name string) string {
	switch name {
	case "", "0.0.0.0", "*":
		return "127.0.0.1"
	case "::":
		return "::1"
	default:
		return name
	}
}

// answers reports whether the server is running and accepts the token.
func (s Server) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	client, err := jupyter.New(s.URL, s.Token)
	if err != nil {
		return false
	}
	_, err = client.Status(ctx)
	return err == nil
}
