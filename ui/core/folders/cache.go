package folders

import "sync"

// A Cache stores what was read from files while their size and modification time stay
// the same. The zero Cache is empty and ready to use. It may outlive the directories
// that use it.
type Cache struct {
	mu   sync.Mutex
	kept map[string]cacheEntry // by id
}

type cacheEntry struct {
	size, mtime int64
	facts       *facts
}

// maxCached is the number of files at which the cache is emptied.
const maxCached = maxFiles

func (c *Cache) get(e *entry) *facts {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k, ok := c.kept[e.id]; ok && k.size == e.size && k.mtime == e.mtime {
		return k.facts
	}
	return nil
}

func (c *Cache) put(e *entry, f *facts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxCached {
		c.kept = make(map[string]cacheEntry)
	}
	c.kept[e.id] = cacheEntry{e.size, e.mtime, f}
}
