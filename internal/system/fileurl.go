package system

import (
	"net/url"
	"path/filepath"
	"strings"
)

// FileURL returns the file URL of an absolute path. On Windows, C:\a b becomes
// file:///C:/a%20b, and \\server\share becomes file://server/share.
func FileURL(path string) *url.URL {
	u := &url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	if rest, ok := strings.CutPrefix(u.Path, "//"); ok && filepath.VolumeName(path) != "" {
		host, below, _ := strings.Cut(rest, "/")
		u.Host, u.Path = host, "/"+below
	}
	if !strings.HasPrefix(u.Path, "/") {
		u.Path = "/" + u.Path
	}
	return u
}

// FilePath returns the path of a file URL of this machine. It returns false for other URLs.
func FilePath(address string) (path string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", false
	}
	path = filepath.FromSlash(u.Path)
	if filepath.VolumeName(path[1:]) != "" { // \C:\a
		path = path[1:]
	}
	return path, true
}
