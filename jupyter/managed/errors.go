package managed

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"easel/internal/system"
)

// Errors, for errors.Is.
var (
	ErrNoPython   = errors.New("no suitable Python was found")
	ErrNoNetwork  = errors.New("the package index cannot be reached")
	ErrDiskFull   = errors.New("the disk is full")
	ErrPermission = errors.New("permission denied")
	ErrInstall    = errors.New("the Python environment could not be created")
	ErrServer     = errors.New("the Jupyter server does not start")
)

// A Kind is the kind of an Error. The window has a text for each.
type Kind string

// The kinds.
const (
	KindNoPython    Kind = "python"     // there is no suitable Python
	KindNoNetwork   Kind = "network"    // the package index cannot be reached
	KindProxy       Kind = "proxy"      // the proxy cannot be reached, or refuses its password
	KindCertificate Kind = "cert"       // the network's certificate is not trusted
	KindDiskFull    Kind = "disk"       // the disk is full
	KindPermission  Kind = "permission" // a file cannot be written
	KindWheelhouse  Kind = "wheelhouse" // the wheelhouse cannot be used
	KindInstall     Kind = "install"    // the installation failed for another reason
	KindServer      Kind = "server"     // the server does not start
)

// An Error is a failure that the user can fix.
type Error struct {
	Kind    Kind
	Command string // that installs what is missing; "" if there is none
	Remedy  string // what to do: a sentence or a few lines
	Free    uint64 // if KindDiskFull, the bytes that are free; 0 if unknown
	Need    uint64 // and those that are needed
	Err     error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// causes lists how pip, uv, Python and the system describe causes, the most certain
// first.
var causes = []struct {
	said   *regexp.Regexp
	err    error
	kind   Kind
	remedy string
}{
	{
		regexp.MustCompile(`(?i)no space left on device|os error 28\b|errno 28\b|disk quota exceeded|os error 122\b|errno 122\b|not enough space`),
		ErrDiskFull, KindDiskFull,
		"Free about 1 GB, or let Easel use another disk (--data-dir), and try again.",
	},
	{
		regexp.MustCompile(`(?i)invalid peer certificate|UnknownIssuer|CERTIFICATE_VERIFY_FAILED|certificate verify failed`),
		ErrNoNetwork, KindCertificate,
		"The network presents a certificate that is not trusted here, as some company networks do. " +
			"Set SSL_CERT_FILE to a file with its certificate authority and try again.",
	},
	{
		regexp.MustCompile(`(?i)permission denied|os error 13\b|errno 13\b|read-only file system|os error 30\b|errno 30\b|operation not permitted`),
		ErrPermission, KindPermission,
		"Make it writable, or choose another directory (--data-dir for Easel's files, --root-dir for the working folder), and try again.",
	},
	{
		regexp.MustCompile(`(?i)proxyerror|cannot connect to proxy|tunnel error|proxy authentication required`),
		ErrNoNetwork, KindProxy,
		"The proxy that is set (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, or in pip.conf) cannot be reached, or refuses its password. " +
			"Correct the setting, and start Easel again.",
	},
	{
		regexp.MustCompile(`(?i)dns error|failed to lookup address|name resolution|name or service not known|nodename nor servname|` +
			`error sending request|failed to fetch|could not connect|connect error|connection (refused|reset|timed out|aborted)|` +
			`network is unreachable|no route to host|newconnectionerror|max retries exceeded|read timed out|operation timed out|` +
			`from versions: none|client error \(connect\)|remotedisconnected`),
		ErrNoNetwork, KindNoNetwork,
		"Connect to the network and try again: Easel needs it once, to download its Python packages. " +
			"Behind a proxy, set HTTPS_PROXY; for a mirror, set PIP_INDEX_URL or UV_DEFAULT_INDEX. " +
			"Without a network, use the packages that `easel env export` saved on another machine (EASEL_WHEELHOUSE).",
	},
}

// explain converts a failure, with the output of the program that failed, to an *Error
// if it recognizes the cause. Otherwise it returns err unchanged.
func explain(err error, said string) error {
	if _, ok := errors.AsType[*Error](err); ok || err == nil {
		return err
	}
	switch {
	case system.IsDiskFull(err):
		said = "no space left on device"
	case errors.Is(err, os.ErrPermission), system.IsReadOnly(err):
		said = "permission denied"
	}
	for _, c := range causes {
		if c.said.MatchString(said) {
			return &Error{Kind: c.kind, Remedy: c.remedy, Err: fmt.Errorf("%w: %w", c.err, err)}
		}
	}
	return err
}

// A distribution is what os-release says about the system. It decides which command
// installs Python.
type distribution string

func thisDistribution() distribution {
	if runtime.GOOS != "linux" {
		return distribution(runtime.GOOS)
	}
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "linux"
	}
	return parseOSRelease(string(text))
}

func parseOSRelease(text string) distribution {
	var like []string
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if key == "ID" || key == "ID_LIKE" {
			like = append(like, strings.Fields(strings.Trim(value, `"'`))...)
		}
	}
	for _, family := range []string{"debian", "ubuntu", "fedora", "rhel", "arch", "suse", "alpine"} {
		if slices.Contains(like, family) {
			switch family {
			case "ubuntu":
				return "debian"
			case "rhel":
				return "fedora"
			}
			return distribution(family)
		}
	}
	return "linux"
}

// command returns the command that installs a suitable Python, or "".
func (d distribution) command() string {
	switch d {
	case "debian":
		return "sudo apt install python3-venv"
	case "fedora":
		return "sudo dnf install python3"
	case "arch":
		return "sudo pacman -S python"
	case "suse":
		return "sudo zypper install python3"
	case "alpine":
		return "sudo apk add python3 py3-pip"
	case "darwin":
		return "brew install python"
	case "windows":
		return "winget install Python.Python.3.13"
	}
	return ""
}

// newerPython returns the command that installs a suitable Python where that of the
// system is too old, or "".
func (d distribution) newerPython() string {
	switch d {
	case "fedora": // Red Hat's are of this family, too
		return "sudo dnf install python3.12"
	case "suse":
		return "sudo zypper install python311"
	case "darwin", "windows":
		return d.command()
	}
	return ""
}

// installPython says how to get a suitable Python.
func (d distribution) installPython() string {
	if c := d.command(); c != "" {
		return "Install it with: " + c
	}
	return "Install Python " + oldest + " or later, with pip."
}
