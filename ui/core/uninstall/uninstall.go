// Package uninstall lists the files that Easel has written on this machine, and deletes
// them after asking. It deletes plots and settings only on explicit request, and only names
// that Easel uses: the data directory may contain other files.
//
// # Goroutines
//
// The package starts none.
package uninstall

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"easel/mcphost/instance"
	"easel/ui/core/clients"
)

// A Config says where Easel's files are, and how to treat them.
type Config struct {
	DataDir string
	RootDir string    // the working folder, which is only named
	Outside []Outside // files outside the data directory
	// Busy reports whether Easel's own Jupyter is still running.
	Busy func() bool

	Yes  bool // do not ask; keep plots and settings
	All  bool // delete plots and settings, too
	Keep bool // do not ask about plots and settings, keep them

	In  io.Reader
	Out io.Writer
}

// An Outside is something of Easel's that is not in the data directory.
type Outside struct {
	Path, What string
	Remove     func() error // deletes it, if it has no path
}

// Errors of Run.
var (
	errRunning = errors.New("easel is running: quit it (tray menu, or Ctrl+Q in its window) and try again")
	errBusy    = errors.New("a Jupyter server of Easel's is still running; it ends within a minute. Try again then")
)

// quitPatience is how long a running Easel may take to quit: its kernels need time.
const quitPatience = 30 * time.Second

// Run lists Easel's files and deletes those that the user agrees to delete.
func Run(ctx context.Context, c Config) error {
	u := &uninstaller{Config: c, in: bufio.NewReader(c.In)}
	if !used(c.DataDir) {
		u.DataDir = "" // nothing in this directory is Easel's
	}
	all := find(u.DataDir, c.Outside)
	if len(all) == 0 {
		u.say("Easel has no files in %s.\n", c.DataDir)
		return nil
	}
	u.list(all)
	_, bytes := of(all, again)
	if !c.Yes && !u.ask("Delete what Easel can create again (%s)?", human(bytes)) {
		u.say("Nothing was deleted.\n")
		return nil
	}
	own, ownBytes := of(all, yours)
	everything := len(own) > 0 &&
		(c.All || !c.Yes && !c.Keep && u.ask("Also delete your plots and settings (%s)? This cannot be undone.", human(ownBytes)))
	if u.DataDir != "" {
		if err := u.stop(ctx); err != nil {
			return err
		}
		all = find(u.DataDir, c.Outside) // Easel may have written more until it quit
	}
	doomed, bytes := of(all, again)
	if own, ownBytes = of(all, yours); everything {
		doomed, bytes, own = append(doomed, own...), bytes+ownBytes, nil
	}
	if err := remove(doomed); err != nil {
		return fmt.Errorf("not everything could be deleted: %w", err)
	}
	u.conclude(bytes, own)
	return nil
}

type uninstaller struct {
	Config
	in *bufio.Reader
}

func (u *uninstaller) say(format string, args ...any) { _, _ = fmt.Fprintf(u.Out, format, args...) }

// ask asks a question. No answer means no.
func (u *uninstaller) ask(format string, args ...any) bool {
	u.say("\n"+format+" [y/N] ", args...)
	line, err := u.in.ReadString('\n')
	if err != nil {
		u.say("\n")
	}
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}

// list prints all files.
func (u *uninstaller) list(all []file) {
	print := func(title string, files []file) {
		if len(files) == 0 {
			return
		}
		u.say("%s\n", title)
		for _, f := range files {
			if f.remove != nil {
				u.say("  %9s  %s\n", "", f.what)
				continue
			}
			u.say("  %9s  %s  (%s)\n", human(f.bytes), clients.Tilde(f.path), f.what)
		}
	}
	disposable, _ := of(all, again)
	own, _ := of(all, yours)
	print("Easel can create these again:", disposable)
	print("These are yours:", own)
	var kept []string
	if _, err := os.Stat(u.RootDir); err == nil && u.RootDir != "" {
		kept = append(kept, clients.Tilde(u.RootDir)+"  (working folder)")
	}
	for _, c := range clients.All {
		for _, path := range c.Files() {
			if s := c.Check(path, clients.Connection{}); filepath.IsAbs(path) && (s == clients.Same || s == clients.Other) {
				kept = append(kept, fmt.Sprintf("%s  (%s: delete its entry \"easel\" yourself)", clients.Tilde(path), c.Name))
			}
		}
	}
	if u.DataDir != "" {
		for _, name := range strangers(u.DataDir) {
			kept = append(kept, clients.Tilde(filepath.Join(u.DataDir, name))+"  (not from Easel)")
		}
	}
	if len(kept) > 0 {
		u.say("These are never deleted:\n  %s\n", strings.Join(kept, "\n  "))
	}
}

// stop makes sure that neither Easel nor its Jupyter runs.
func (u *uninstaller) stop(ctx context.Context) error {
	mine, err := u.lock(ctx)
	if err != nil {
		return err
	}
	if u.Busy != nil && u.Busy() {
		err = errBusy
	}
	// Windows cannot delete an open file, so the directory is unlocked here.
	return errors.Join(err, mine.Close())
}

// lock makes sure that no Easel runs. It offers to quit one that does.
func (u *uninstaller) lock(ctx context.Context) (*instance.Instance, error) {
	mine, err := instance.Lock(ctx, u.DataDir)
	if !errors.Is(err, instance.ErrRunning) {
		return mine, err
	}
	r, err := instance.Find(ctx, u.DataDir)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errRunning, err)
	}
	if !u.Yes && !u.ask("Easel is running (process %d). Quit it? Running code is ended.", r.PID) {
		return nil, errRunning
	}
	p, err := os.FindProcess(r.PID)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errRunning, err)
	}
	if err := p.Signal(syscall.SIGTERM); err != nil { // Windows has no such signal
		return nil, fmt.Errorf("%w (%w)", errRunning, err)
	}
	ctx, cancel := context.WithTimeout(ctx, quitPatience)
	defer cancel()
	for {
		mine, err := instance.Lock(ctx, u.DataDir) // waits briefly
		if !errors.Is(err, instance.ErrRunning) {
			return mine, err
		}
	}
}

// conclude says what was deleted and what remains.
func (u *uninstaller) conclude(bytes int64, kept []file) {
	u.say("\nDeleted %s.", human(bytes))
	if len(kept) > 0 {
		u.say(" Your plots and settings are still in %s.", clients.Tilde(u.DataDir))
	} else if names, err := os.ReadDir(u.DataDir); err == nil && len(names) > 0 {
		u.say(" %s contains other files, so it was kept.", clients.Tilde(u.DataDir))
	}
	if exe, err := os.Executable(); err == nil {
		u.say("\nThe program is still in %s. Remove it as you installed it.\n", clients.Tilde(exe))
	}
}

// human returns a size in a unit that is easy to read.
func human(bytes int64) string {
	const kB, MB, GB = 1000, 1000 * 1000, 1000 * 1000 * 1000
	switch {
	case bytes >= GB:
		return fmt.Sprintf("%.1f GB", float64(bytes)/GB)
	case bytes >= MB:
		return fmt.Sprintf("%.0f MB", float64(bytes)/MB)
	default:
		return fmt.Sprintf("%.0f kB", float64(bytes+kB-1)/kB)
	}
}
