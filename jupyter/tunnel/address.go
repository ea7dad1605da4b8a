package tunnel

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// An Address names a server on another machine: ssh://[USER@]HOST[:PORT]. HOST is what ssh
// accepts, for example an alias in the user's configuration, and PORT is that of ssh. With a
// path, it names a project there.
type Address struct {
	User, Host, Port string
	// Path is the folder of the project there: absolute, or ~ and what is below it. "" if the
	// address names the server that runs there.
	Path string
	// ServerPort is the port of the Jupyter server there (?port=8888). 0 means that of
	// the server that was started last.
	ServerPort int
	// RuntimeDir is Jupyter's runtime directory there, if it is not the usual one
	// (?runtime_dir=/scratch/me/runtime). The text of an address with a Path does not have it.
	RuntimeDir string
}

// IsAddress reports whether text is meant as an [Address].
func IsAddress(text string) bool {
	scheme, _, ok := strings.Cut(strings.TrimSpace(text), "://")
	return ok && strings.EqualFold(scheme, "ssh")
}

// ErrAddress is the error for an invalid address.
var ErrAddress = errors.New("the address of another machine has the form ssh://HOST, ssh://USER@HOST:PORT or ssh://HOST/?port=8888; a project there, ssh://HOST/PATH")

// Parse parses an address. The error is ErrAddress with the reason.
func Parse(text string) (Address, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || !IsAddress(text) {
		return Address{}, ErrAddress
	}
	a := Address{User: u.User.Username(), Host: u.Hostname(), Port: u.Port(), RuntimeDir: u.Query().Get("runtime_dir")}
	if _, has := u.User.Password(); has {
		return Address{}, fmt.Errorf("%w: it must not contain a password", ErrAddress)
	}
	if u.Fragment != "" {
		return Address{}, fmt.Errorf("%w: it must not contain #; in a path, write %%23", ErrAddress)
	}
	if a.Path = path.Clean("/" + u.Path); a.Path == "/" {
		a.Path = ""
	} else if rest, ok := strings.CutPrefix(a.Path, "/~"); ok && (rest == "" || rest[0] == '/') {
		a.Path = "~" + rest
	}
	switch {
	case strings.ContainsFunc(a.Path, unicode.IsControl):
		return Address{}, fmt.Errorf("%w: the path contains a control character", ErrAddress)
	case a.Path != "" && u.RawQuery != "":
		return Address{}, fmt.Errorf("%w: nothing follows the path of a project; in a path, write %%3F for a question mark", ErrAddress)
	}
	if !harmless(a.Host) || a.User != "" && !harmless(a.User) {
		return Address{}, fmt.Errorf("%w: the host and the user are names", ErrAddress)
	}
	for key := range u.Query() {
		if key != "port" && key != "runtime_dir" {
			return Address{}, fmt.Errorf("%w: %.40q is unknown; there are port and runtime_dir", ErrAddress, key)
		}
	}
	if port := u.Query().Get("port"); port != "" {
		a.ServerPort, err = strconv.Atoi(port)
		if err != nil || a.ServerPort < 1 || a.ServerPort > 65535 {
			return Address{}, fmt.Errorf("%w: the port %.20q is not a number from 1 to 65535", ErrAddress, port)
		}
	}
	if a.RuntimeDir != "" && (!path.IsAbs(a.RuntimeDir) || strings.ContainsFunc(a.RuntimeDir, unicode.IsControl)) {
		return Address{}, fmt.Errorf("%w: runtime_dir is an absolute path", ErrAddress)
	}
	return a, nil
}

// harmless reports whether ssh takes name as a name: not as an option, and without what a
// shell interprets, because ssh passes the name to the shell for a ProxyCommand. A character that is not
// seen could make the user allow another machine than the question seems to name.
func harmless(name string) bool {
	return name != "" && !strings.HasPrefix(name, "-") && !strings.ContainsAny(name, "'`\"$\\;&<>|(){}[]*?!#~%/@,") &&
		!strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) })
}

// URL returns the address as a URL.
func (a Address) URL() *url.URL {
	u := &url.URL{Scheme: "ssh", Host: a.Host}
	if strings.Contains(a.Host, ":") {
		u.Host = "[" + a.Host + "]"
	}
	if a.Port != "" {
		u.Host += ":" + a.Port
	}
	if a.User != "" {
		u.User = url.User(a.User)
	}
	if a.Path != "" {
		u.Path = "/" + strings.TrimPrefix(a.Path, "/")
		return u
	}
	query := make(url.Values)
	if a.ServerPort != 0 {
		query.Set("port", strconv.Itoa(a.ServerPort))
	}
	if a.RuntimeDir != "" {
		query.Set("runtime_dir", a.RuntimeDir)
	}
	if len(query) > 0 {
		u.Path, u.RawQuery = "/", query.Encode()
	}
	return u
}

// String returns the address as text. Equal addresses have the same text. That of a project has
// its path as it is, for people, except for what Parse would take for something else.
func (a Address) String() string {
	u := a.URL()
	if a.Path == "" {
		return u.String()
	}
	text := strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23").Replace(u.Path)
	u.Path = ""
	return u.String() + text
}

// Machine returns the address of the machine alone.
func (a Address) Machine() Address { return Address{User: a.User, Host: a.Host, Port: a.Port} }

// arguments returns the arguments of ssh that name the machine.
func (a Address) arguments() []string {
	var args []string
	if a.Port != "" {
		args = append(args, "-p", a.Port)
	}
	if a.User != "" {
		args = append(args, "-l", a.User)
	}
	return append(args, "--", a.Host)
}
