package folders

import (
	"sync"
	"time"
)

// A Cache stores what was read from files while their size and modification time stay
// the same. The zero Cache is empty and ready to use. It may outlive the directories
// that use it.
type Cache struct {
	mu   sync.Mutex
	kept map[string]cacheEntry // by path
}

type cacheEntry struct {
	size  int64
	mtime time.Time
	facts *facts
}

// maxCached is the number of files at which the cache is emptied.
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
		c.kept = make(map[string]cacheEntry)
	}
	c.kept[path] = cacheEntry{size, mtime, f}
}
