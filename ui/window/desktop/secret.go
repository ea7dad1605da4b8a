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

// secretPrefix begins the names of the files that OpenSecret makes.
const secretPrefix = "open-"

// secretTime is how long such a file stays: a browser that has to start first, from
// a slow disk, has read it by then.
const secretTime = time.Minute

// OpenSecret opens an address that holds a secret in the user's browser. The
// secret must not stand in a process's arguments, which every user of the machine
// can read: so the browser is given the address of a file in dir that only this user
// can read, and that leads on. It is removed after a minute, and by SweepSecrets.
//
// A code that is good for one use, in place of the secret, would not do: whoever
// reads the arguments first could use it before the browser does.
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

// leadOn is a page that leads to an address and leaves no trace of itself.
func leadOn(address string) string {
	quoted, _ := json.Marshal(address) // escapes <, > and & too
	return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Easel</title>` +
		`<script>location.replace(` + string(quoted) + `)</script>` +
		`<noscript><meta http-equiv="refresh" content="0;url=` + html.EscapeString(address) + `"></noscript>` + "\n"
}

// SweepSecrets removes what OpenSecret left in dir: at the end of the app, and at
// its start for one that died.
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
