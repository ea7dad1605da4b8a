// Package instance keeps one Easel to a data directory, and tells other programs
// how to reach it: the lock, the token and the runtime file.
//
// # Goroutines
//
// None of its own. An Instance is for the goroutine that runs the program; Find
// and the rest may be called from any.
package instance

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"easel/internal/atomicfile"
)

// Names of the files in the data directory.
const (
	lockFile    = "easel.lock"
	tokenFile   = "token"
	runtimeFile = "easel.json"
)

const (
	minToken     = 16                     // characters: a kept token shorter than that is damage
	lockPatience = 500 * time.Millisecond // somebody may be looking who holds the lock
	askTimeout   = 10 * time.Second       // a machine that wakes up, or is busy, takes its time; where nobody listens it is told at once
	showTimeout  = 30 * time.Second       // a window may have to be opened
)

// ErrRunning means that another Easel has the data directory.
var ErrRunning = errors.New("another Easel runs with this data directory")

// ErrNotRunning means that no Easel runs with the data directory, or that it
// cannot be reached yet.
var ErrNotRunning = errors.New("no Easel runs with this data directory")

// A Runtime tells how to reach a running Easel.
type Runtime struct {
	URL     string    `json:"url"` // http://127.0.0.1:5149
	Port    int       `json:"port"`
	PID     int       `json:"pid"`
	Token   string    `json:"token"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
}

// An Instance is the right to be the Easel of a data directory.
type Instance struct {
	dir  string
	lock *flock.Flock
}

// Lock takes the data directory, which is made if it is missing. The error is
// ErrRunning if another Easel has it. The lock goes with the process, however
// that ends.
func Lock(ctx context.Context, dataDir string) (*Instance, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("instance: %w", err)
	}
	l := flock.New(filepath.Join(dataDir, lockFile), flock.SetPermissions(0o600))
	if ctx.Err() != nil {
		return nil, fmt.Errorf("instance: %w", context.Cause(ctx))
	}
	// Tried once before the patience begins: it may be over before anything was tried.
	if ok, err := l.TryLock(); ok && err == nil {
		return &Instance{dataDir, l}, nil
	}
	wait, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	ok, err := l.TryLockContext(wait, 25*time.Millisecond)
	switch {
	case ok:
		return &Instance{dataDir, l}, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("instance: %w", context.Cause(ctx))
	case err == nil, errors.Is(err, context.DeadlineExceeded):
		return nil, ErrRunning
	default:
		return nil, fmt.Errorf("instance: the data directory cannot be locked: %w", err)
	}
}

// Publish writes the runtime file, whole or not at all. One that a crash left
// behind is replaced.
func (i *Instance) Publish(r Runtime) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(i.dir, runtimeFile), append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	return nil
}

// Close removes the runtime file and gives the data directory back.
func (i *Instance) Close() error {
	err := os.Remove(filepath.Join(i.dir, runtimeFile))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err := errors.Join(err, i.lock.Unlock()); err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	return nil
}

// Token is the token kept in the data directory. It is made the first time, and
// anew if the file was damaged. Nobody else may read it.
func Token(dataDir string) (string, error) {
	name := filepath.Join(dataDir, tokenFile)
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("instance: %w", err)
	}
	if t := strings.TrimSpace(string(b)); len(t) >= minToken && !strings.ContainsAny(t, " \t\r\n") {
		if err := os.Chmod(name, 0o600); err != nil {
			return "", fmt.Errorf("instance: %w", err)
		}
		return t, nil
	}
	return RotateToken(dataDir)
}

// RotateToken makes and keeps a new token.
func RotateToken(dataDir string) (string, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return "", fmt.Errorf("instance: %w", err)
	}
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	t := base64.RawURLEncoding.EncodeToString(b[:])
	if err := atomicfile.Write(filepath.Join(dataDir, tokenFile), []byte(t+"\n"), 0o600); err != nil {
		return t, fmt.Errorf("instance: %w", err)
	}
	return t, nil
}

// Find tells how to reach the Easel that runs with the data directory. It has
// been asked, and took its token: a runtime file that a crash left behind gives
// ErrNotRunning.
func Find(ctx context.Context, dataDir string) (Runtime, error) {
	var r Runtime
	b, err := os.ReadFile(filepath.Join(dataDir, runtimeFile))
	if errors.Is(err, os.ErrNotExist) {
		return r, ErrNotRunning
	}
	if err != nil {
		return r, fmt.Errorf("instance: %w", err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return Runtime{}, fmt.Errorf("%w: %s is damaged: %w", ErrNotRunning, runtimeFile, err)
	}
	if !onLoopback(r.URL) { // our token goes nowhere else
		return Runtime{}, fmt.Errorf("%w: %s names a foreign address", ErrNotRunning, runtimeFile)
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if err := ask(ctx, r, http.MethodHead, "/tools", ""); err != nil {
		return Runtime{}, fmt.Errorf("%w: %w", ErrNotRunning, err)
	}
	return r, nil
}

func onLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.User != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// Show asks a running Easel to bring its window to the front. One that has none opens it
// on the display that in names; a RefusedError says why not.
func Show(ctx context.Context, r Runtime, in any) error {
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	return ask(ctx, r, http.MethodPost, "/api/window/show", string(body))
}

// A RefusedError is what a running Easel answered instead of doing what it was asked.
type RefusedError struct{ Status, Detail string }

func (r *RefusedError) Error() string {
	if r.Detail == "" {
		return "the running Easel answered " + r.Status
	}
	return r.Detail
}

// client goes straight to the address, whatever proxy the user has.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func ask(ctx context.Context, r Runtime, method, path, body string) error {
	req, err := http.NewRequestWithContext(ctx, method, r.URL+path, strings.NewReader(body))
	if err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusOK {
		return nil
	}
	var p struct{ Detail string }
	_ = json.NewDecoder(http.MaxBytesReader(nil, res.Body, 1<<16)).Decode(&p) // no problem: no detail
	return fmt.Errorf("instance: %s %s: %w", method, path, &RefusedError{res.Status, p.Detail})
}
