package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"easel/ui/core/render"
)

// programs lists the names of browsers on the PATH, preferred first.
var programs = []string{
	"google-chrome", "google-chrome-stable", "chrome", "chromium", "chromium-browser",
	"microsoft-edge", "microsoft-edge-stable", "msedge", "chromium-headless-shell", "chrome-headless-shell",
}

// Find returns the path of the browser to draw with: path, if it is not empty, or else a
// Chrome, Edge or Chromium on the PATH or in its usual location. The error is a
// render.UnavailableError.
func Find(path string) (string, error) {
	if path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", &render.UnavailableError{
				Reason: "the browser " + path + " does not exist or is not a program",
				Remedy: "correct its path, or remove it to use any Chrome, Edge or Chromium that is installed",
			}
		}
		return found, nil
	}
	for _, name := range programs {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	for _, place := range places() {
		if info, err := os.Stat(place); err == nil && info.Mode().IsRegular() {
			return place, nil
		}
	}
	return "", &render.UnavailableError{
		Lacks:  render.LacksBrowser,
		Reason: "no Chrome, Edge or Chromium was found",
		Remedy: "install one of them",
	}
}

// places returns the locations in which installers put browsers without adding them to the
// PATH.
func places() []string {
	switch runtime.GOOS {
	case "darwin":
		var places []string
		for _, root := range []string{"/Applications", filepath.Join(homeDir(), "Applications")} {
			for _, name := range []string{"Google Chrome", "Chromium", "Microsoft Edge"} {
				places = append(places, filepath.Join(root, name+".app", "Contents", "MacOS", name))
			}
		}
		return places
	case "windows":
		var places []string
		for _, program := range []string{`Google\Chrome\Application\chrome.exe`, `Microsoft\Edge\Application\msedge.exe`, `Chromium\Application\chrome.exe`} {
			for _, root := range []string{"PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"} {
				if dir := os.Getenv(root); dir != "" {
					places = append(places, dir+`\`+program)
				}
			}
		}
		return places
	}
	return []string{
		"/opt/google/chrome/chrome", "/usr/lib/chromium/chromium", "/usr/lib64/chromium-browser/chromium-browser",
		"/opt/microsoft/msedge/msedge",
	}
}

func homeDir() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return strings.TrimRight(dir, `/\`)
}
