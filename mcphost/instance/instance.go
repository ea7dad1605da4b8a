// Package instance makes sure that only one Easel uses a data directory, and tells other
// programs how to reach it. It manages the lock, the token and the runtime file.
//
// # Goroutines
//
// None of its own. An Instance belongs to the goroutine that runs the program. Find and
// the other functions may be called from any goroutine.
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
	"easel/internal/system"
)

// Names of the files in the data directory.
const (
	lockFile    = "easel.lock"
	tokenFile   = "token"
	runtimeFile = "easel.json"
)

const (
	minToken     = 16                     // characters; a shorter token means that the file is damaged
	lockPatience = 500 * time.Millisecond // another process may hold the lock briefly to check it
	askTimeout   = 10 * time.Second       // a machine that wakes up or is busy needs time; if nobody listens, the connection fails immediately
)

// ErrRunning means that another Easel uses the data directory.
var ErrRunning = errors.New("another Easel runs with this data directory")

// ErrNotRunning means that no Easel runs with the data directory, or that it
// cannot be reached yet.
var ErrNotRunning = errors.New("no Easel runs with this data directory")

// chooseAnother says what to do if the data directory cannot be written.
const chooseAnother = "choose another with --data-dir or EASEL_DATA_DIR"

// A Runtime says how to reach a running Easel.
type Runtime struct {
	URL     string    `json:"url"` // http://127.0.0.1:5149
	Port    int       `json:"port"`
	PID     int       `json:"pid"`
	Token   string    `json:"token"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	// Handover is where a second start asks for the window; see package handover.
	Handover string `json:"handover,omitempty"`
}

// An Instance is the exclusive use of a data directory.
type Instance struct {
	// Opened is the mode that the data directory had if other users could open it. Lock has
	// changed it.
	Opened os.FileMode

	dir  string
	lock *flock.Flock
}

// Lock locks the data directory and creates it if it does not exist. The error is
// ErrRunning if another Easel uses it. The lock ends with the process, however that
// ends.
func Lock(ctx context.Context, dataDir string) (*Instance, error) {
	if err := system.MkdirPrivate(dataDir); err != nil {
		return nil, fmt.Errorf("the data directory cannot be created: %w; %s", err, chooseAnother)
	}
	opened := system.OpenToOthers(dataDir)
	if err := tighten(dataDir); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(dataDir, lockFile), flock.SetPermissions(0o600))
	if ctx.Err() != nil {
		return nil, fmt.Errorf("instance: %w", context.Cause(ctx))
	}
	// Try once before the timer starts, because the time may be over before the first
	// attempt.
	if ok, err := l.TryLock(); ok && err == nil {
		return &Instance{opened, dataDir, l}, nil
	}
	wait, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	ok, err := l.TryLockContext(wait, 25*time.Millisecond)
	switch {
	case ok:
		return &Instance{opened, dataDir, l}, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("instance: %w", context.Cause(ctx))
	case err == nil, errors.Is(err, context.DeadlineExceeded):
		return nil, ErrRunning
	default:
		return nil, fmt.Errorf("the data directory cannot be locked: %w; %s", err, chooseAnother)
	}
}

// tighten keeps other users out of the data directory. It refuses a directory that is
// shared with them on purpose, because it has files of other programs.
func tighten(dataDir string) error {
	mode := system.OpenToOthers(dataDir)
	if mode == 0 {
		return nil
	}
	open := fmt.Errorf("other users can open the data directory %s (mode %#o)", dataDir, mode)
	info, err := os.Stat(dataDir)
	if err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	if info.Mode()&os.ModeSticky != 0 || !ours(dataDir) {
		return fmt.Errorf("%w, and it is not Easel's alone; %s", open, chooseAnother)
	}
	if err := os.Chmod(dataDir, 0o700); err != nil { //nolint:gosec // a directory
		return fmt.Errorf("%w, and that cannot be changed: %w; %s", open, err, chooseAnother)
	}
	if system.OpenToOthers(dataDir) != 0 { // a disk without modes
		return fmt.Errorf("%w, and its disk keeps no modes; %s", open, chooseAnother)
	}
	return nil
}

// ours reports whether a directory is empty or has been a data directory.
func ours(dir string) bool {
	for _, name := range []string{lockFile, tokenFile, "settings.json", "servers.json", "assistants.json", "library", "jupyter", "logs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

// LockOrFind locks the data directory, or returns how to reach the Easel that uses it. If
// that Easel cannot be reached, it is starting or ending; LockOrFind then calls waiting and
// tries again until patience is over. The error is then ErrRunning, with the reason.
func LockOrFind(ctx context.Context, dataDir string, patience time.Duration, waiting func()) (*Instance, Runtime, error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for tries := 0; ; tries++ {
		mine, err := Lock(ctx, dataDir) // waits briefly if it is locked
		if !errors.Is(err, ErrRunning) {
			return mine, Runtime{}, err
		}
		r, found := Find(ctx, dataDir)
		if found == nil {
			return nil, r, nil
		}
		if wait.Err() != nil || !errors.Is(found, ErrNotRunning) {
			reason := strings.TrimPrefix(found.Error(), ErrNotRunning.Error()+": ") // it holds the lock, so it runs
			if found == ErrNotRunning {                                             //nolint:errorlint // without a reason
				reason = "it has not written " + runtimeFile
			}
			return nil, Runtime{}, fmt.Errorf("%w, but it does not answer: %s", ErrRunning, reason)
		}
		if tries == 0 {
			waiting()
		}
	}
}

// Publish writes the runtime file atomically. It replaces one that a crash left behind.
func (i *Instance) Publish(r Runtime) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	return unwritable(atomicfile.Write(filepath.Join(i.dir, runtimeFile), append(b, '\n'), 0o600))
}

// unwritable describes an error of writing to the data directory.
func unwritable(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrPermission), system.IsReadOnly(err):
		return fmt.Errorf("the data directory cannot be written: %w; make it writable, or %s", err, chooseAnother)
	}
	return fmt.Errorf("instance: %w", err)
}

// Close removes the runtime file and unlocks the data directory.
func (i *Instance) Close() error {
	err := system.Remove(filepath.Join(i.dir, runtimeFile))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err := errors.Join(err, i.lock.Unlock()); err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	return nil
}

// maxFile is the largest size of the runtime file and the token.
const maxFile = 64 << 10

// Token returns the token in the data directory. It creates a token if there is none or
// if the file is damaged. Only the user can read the file.
func Token(dataDir string) (string, error) {
	name := filepath.Join(dataDir, tokenFile)
	b, err := system.ReadRegular(name, maxFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, system.ErrNotRegular) {
		return "", fmt.Errorf("instance: %w", err)
	}
	if t := strings.TrimSpace(string(b)); len(t) >= minToken && !strings.ContainsAny(t, " \t\r\n") {
		if err := system.MakePrivate(name); err != nil {
			return "", fmt.Errorf("instance: %w", err)
		}
		return t, nil
	}
	return RotateToken(dataDir)
}

// RotateToken creates and stores a new token.
func RotateToken(dataDir string) (string, error) {
	if err := system.MkdirPrivate(dataDir); err != nil {
		return "", fmt.Errorf("instance: %w", err)
	}
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	t := base64.RawURLEncoding.EncodeToString(b[:])
	return t, unwritable(atomicfile.Write(filepath.Join(dataDir, tokenFile), []byte(t+"\n"), 0o600))
}

// Find returns how to reach the Easel that runs with the data directory. Find has
// contacted it, and it accepted its token. If a crash left a runtime file behind, the
// error is ErrNotRunning.
func Find(ctx context.Context, dataDir string) (Runtime, error) {
	var r Runtime
	b, err := system.ReadRegular(filepath.Join(dataDir, runtimeFile), maxFile)
	if errors.Is(err, os.ErrNotExist) {
		return r, ErrNotRunning
	}
	if err != nil {
		return r, fmt.Errorf("instance: %w", err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return Runtime{}, fmt.Errorf("%w: %s is damaged: %w", ErrNotRunning, runtimeFile, err)
	}
	if !onLoopback(r.URL) { // the token is sent to no other machine
		return Runtime{}, fmt.Errorf("%w: %s names a foreign address", ErrNotRunning, runtimeFile)
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	if err := ask(ctx, r); err != nil {
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

// client connects directly, even if the user has configured a proxy.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// ask checks that the Easel at r answers and accepts the token.
func ask(ctx context.Context, r Runtime) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, r.URL+"/tools", nil)
	if err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Token)
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("instance: %s answered %s", req.URL, res.Status)
	}
	return nil
}
