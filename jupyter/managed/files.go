package managed

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"easel/internal/system"
)

// serverFiles names the files of one server.
type serverFiles struct {
	root string // directory with server.json, lease, config, data, runtime and ipython
	log  string
}

func (f serverFiles) file(name string) string { return filepath.Join(f.root, name) }
func (f serverFiles) runtime() string         { return f.file("runtime") }
func (f serverFiles) recordFile() string      { return f.file("server.json") }
func (f serverFiles) layers() string          { return f.file("layers") } // see easel_layers.py

// make creates the directories, which only the user can read.
func (f serverFiles) make() error {
	for _, dir := range []string{f.root, f.file("config"), f.file("data"), f.runtime(), f.file("ipython"), filepath.Dir(f.log)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

func (f serverFiles) readRecord() (r record, err error) {
	err = readJSON(f.recordFile(), &r)
	return r, err
}

func (f serverFiles) writeRecord(r record) error { return writeJSON(f.recordFile(), r) }

// renew renews the lease. The file's content says who holds it, and its modification
// time when it was renewed.
func (f serverFiles) renew() error {
	holder := strconv.Itoa(os.Getpid())
	if text, err := os.ReadFile(f.file("lease")); err != nil || string(text) != holder {
		if err := replaceFile(f.file("lease"), []byte(holder), 0o600); err != nil {
			return err
		}
	}
	now := time.Now()
	return os.Chtimes(f.file("lease"), now, now)
}

// forget removes what a server that has ended has left.
func (f serverFiles) forget(r record) {
	if now, err := f.readRecord(); err == nil && now.ID == r.ID {
		_ = system.Remove(f.recordFile())
	}
	for _, pattern := range []string{"kernel-*.json", "jpserver-*"} { // of dead processes
		for _, file := range system.Glob(f.runtime(), pattern) {
			_ = os.Remove(file)
		}
	}
}
