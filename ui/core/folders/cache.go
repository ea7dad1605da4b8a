package folders

import (
	"sync"
	"time"
)

// A Cache keeps what was read of files, as long as their times and sizes are the
// same. The zero Cache is empty. It may outlive the directories that use it.
type Cache struct {
	mu   sync.Mutex
	kept map[string]cached // by path
}

type cached struct {
	size  int64
	mtime time.Time
	facts *facts
}

// maxCached is how many files are kept; then it begins anew.
const maxCached = 100_000

func (c *Cache) get(path string, size int64, mtime time.Time) *facts {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k, ok := c.kept[path]; ok && k.size == size && k.mtime.Equal(mtime) {
		return k.facts
	}
	return nil
}

func (c *Cache) put(path string, size int64, mtime time.Time, f *facts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxCached {
		c.kept = make(map[string]cached)
	}
	c.kept[path] = cached{size, mtime, f}
}
