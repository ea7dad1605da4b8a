package record

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"easel/mcphost/catalog"
)

// How the user allows what a sandbox has blocked.
const (
	onlyTheUser   = "Only the user can allow it, in Easel: Sandbox, in the project's menu. It applies to sessions that start afterwards."
	adviseNetwork = "The project's sandbox blocks the network. " + onlyTheUser
	adviseForks   = "The project's sandbox, which is without bubblewrap here, blocks connections between processes: use " +
		"multiprocessing.get_context(\"fork\") with pipes, queues or a Pool."
)

var (
	noNetwork = regexp.MustCompile(`(?i)Temporary failure in name resolution|Name or service not known|Network is unreachable|` +
		`Failed to establish a new connection|Could not resolve host|cannot open URL|Could not connect to server|Couldn't connect to server|` +
		`Max retries exceeded with url|NameResolutionError|\[Errno 101\]|failed to lookup address information|error resolving DNS`)
	networkErrors = []string{
		"gaierror", "ConnectionError", "ConnectTimeout", "URLError", "ConnectionRefusedError", "ConnectError", "ClientConnectorError",
		"ProxyError", "NewConnectionError",
	}
	// blockedPath is what Python says about a path that it may not use, or that it does not find.
	blockedPath = regexp.MustCompile(`(Permission denied|Operation not permitted|Read-only file system|Invalid cross-device link|No such file or directory):` +
		` b?['"](.+?)['"](?: -> b?['"](.+?)['"])?$`)
	blockedInR = regexp.MustCompile(`cannot open (?:compressed )?file '([^']+)', (?:probable )?reason '(Permission denied|Read-only file system|No such file or directory)'`)
)

// unreachable reports whether what a program has printed says that there is no network. Code that has failed says more itself,
// unless it failed because an installer did.
func unreachable(failure *catalog.ExecutionError, said string) bool {
	return (failure == nil || failure.Type == "InstallError") && noNetwork.MatchString(said)
}

// inSandbox says that a sandbox has caused the error, and how the user can allow it; "" if it most likely has not.
func (f failedRun) inSandbox() string {
	if f.sandbox == nil {
		return ""
	}
	e := f.Error
	path, other, missing := "", "", false
	if m := blockedPath.FindStringSubmatch(e.Message); m != nil {
		path, other, missing = m[2], m[3], m[1] == "No such file or directory"
	} else if m := blockedInR.FindStringSubmatch(e.Message); m != nil {
		path, missing = m[1], m[2] == "No such file or directory"
	}
	if path == "" {
		return f.withoutPath()
	}
	for _, p := range []string{path, other} {
		if !filepath.IsAbs(p) { // it is in the project, or what leads out of it is a link, which nobody allows by mistake
			continue
		}
		switch reads, writes := f.sandbox.Allows(p); {
		case writes:
		case !reads && missing:
			return fmt.Sprintf("If it exists, the project's sandbox hides it: %s is outside of the folders that its kernels may read. ", p) + onlyTheUser
		case !reads:
			return fmt.Sprintf("The project's sandbox blocks this: %s is outside of the folders that its kernels may use. ", p) + onlyTheUser
		case !missing:
			return fmt.Sprintf("The project's sandbox blocks this: its kernels may read %s, but not change it. ", p) + onlyTheUser
		}
	}
	return ""
}

// withoutPath is inSandbox for an error that names no path.
func (f failedRun) withoutPath() string {
	e := f.Error
	network := slices.Contains(networkErrors, e.Type) || noNetwork.MatchString(e.Message)
	refused := e.Type == "PermissionError" && strings.Contains(e.Message, "Permission denied")
	switch {
	case refused && strings.Contains(e.Traceback, "multiprocessing"):
		return adviseForks
	case !f.sandbox.Network && (network || refused && strings.Contains(e.Traceback, "socket")):
		return adviseNetwork
	}
	return ""
}
