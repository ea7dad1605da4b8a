package desktop

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// secretPrefix is the prefix of the names of the files that OpenSecret creates.
const secretPrefix = "open-"

// secretTime is how long such a file exists. That is enough for a browser that must be
// started first, from a slow disk.
const secretTime = time.Minute

// OpenSecret opens an address that contains a secret in the user's browser. Every user
// of the machine can read the arguments of a process, so the secret must not be there.
// OpenSecret creates a file in dir that only this user can read, and opens that file in
// the browser; it redirects to the address. The file is removed after secretTime, or by
// SweepSecrets.
//
// A single-use code instead of the secret would not be safe: whoever reads the
// arguments first could use it before the browser does.
func OpenSecret(dir, address string) error {
	return openSecret(dir, address, launchFile)
}

func openSecret(dir, address string, show func(path string) error) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("only http addresses are opened")
	}
	f, err := os.CreateTemp(dir, secretPrefix+"*.html") // mode 0600
	if err != nil {
		return fmt.Errorf("opening the browser: %w", err)
	}
	_, err = f.WriteString(leadOn(u.String()))
	if err = errors.Join(err, f.Close()); err == nil {
		time.AfterFunc(secretTime, func() { _ = os.Remove(f.Name()) })
		err = show(f.Name())
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// leadOn returns a page that redirects to an address and leaves no entry in the
// history.
func leadOn(address string) string {
	quoted, _ := json.Marshal(address) // escapes <, > and & too
	return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Easel</title>` +
		`<script>location.replace(` + string(quoted) + `)</script>` +
		`<noscript><meta http-equiv="refresh" content="0;url=` + html.EscapeString(address) + `"></noscript>` + "\n"
}

// SweepSecrets removes the files of OpenSecret from dir. Call it when the app ends, and
// when it starts, since it may have been killed before.
func SweepSecrets(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), secretPrefix) && strings.HasSuffix(e.Name(), ".html") {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
