package data

import (
	"encoding/json"
	"slices"

	"easel/ui/core/command"
)

// The size of what is asked at once, in cells.
const (
	blockRows    = 200
	blockColumns = 32
)

// mostBlocks is how many blocks of a table the window keeps; each has 6,400 cells at most.
const mostBlocks = 48

// A blockKey is the position of a block.
type blockKey struct{ row, column int } // in blocks

func keyOf(row, column int) blockKey { return blockKey{row / blockRows, column / blockColumns} }

// A block is a part of a view.
type block struct {
	key  blockKey
	page command.TablePage
	used int // when it was last looked at, as counted by the cache
	old  bool
}

// A cache has the blocks of a view.
type cache struct {
	blocks map[blockKey]*block
	clock  int
}

func newCache() *cache { return &cache{blocks: make(map[blockKey]*block)} }

// put adds a block. If there are too many, it drops the one that was looked at longest ago.
func (c *cache) put(k blockKey, p command.TablePage) {
	c.clock++
	c.blocks[k] = &block{key: k, page: p, used: c.clock}
	for len(c.blocks) > mostBlocks {
		var last *block
		for _, b := range c.blocks {
			if last == nil || b.used < last.used {
				last = b
			}
		}
		delete(c.blocks, last.key)
	}
}

// age marks all blocks as old: they are shown until they have been read again.
func (c *cache) age() {
	for _, b := range c.blocks {
		b.old = true
	}
}

// get returns the block with a cell; nil if it is not there.
func (c *cache) get(row, column int) *block {
	b := c.blocks[keyOf(row, column)]
	if b != nil {
		c.clock++
		b.used = c.clock
	}
	return b
}

// fresh reports whether a block is there and not old.
func (c *cache) fresh(k blockKey) bool {
	b := c.blocks[k]
	return b != nil && !b.old
}

// value returns a cell as the kernel has answered it; nil if it is not there.
func (b *block) value(row, column int) json.RawMessage {
	if b == nil {
		return nil
	}
	i, j := column-b.key.column*blockColumns, row-b.key.row*blockRows
	if i < 0 || i >= len(b.page.Cells) || j < 0 || j >= len(b.page.Cells[i]) {
		return nil
	}
	return b.page.Cells[i][j]
}

// label returns what stands before a row: its index or, if there is none, its number. numbered reports
// the latter.
func (b *block) label(row int) (text string, numbered, ok bool) {
	if b == nil {
		return "", false, false
	}
	j := row - b.key.row*blockRows
	switch {
	case j < 0 || j >= len(b.page.At):
		return "", false, false
	case j < len(b.page.Index):
		return b.page.Index[j], false, true
	default:
		return itoa(b.page.At[j]), true, true
	}
}

// number returns the number of a row in the table, whatever the order; -1 if it is not known.
func (b *block) number(row int) int {
	if b == nil {
		return -1
	}
	if j := row - b.key.row*blockRows; j >= 0 && j < len(b.page.At) {
		return b.page.At[j]
	}
	return -1
}

// copy returns a cache with the same blocks.
func (c *cache) copy() *cache {
	was := newCache()
	for k, b := range c.blocks {
		was.blocks[k] = &block{key: k, page: b.page}
	}
	return was
}

// differs reports whether a block is not as it was.
func (c *cache) differs(k blockKey, p command.TablePage) bool {
	if c == nil || c.blocks[k] == nil {
		return false
	}
	was := c.blocks[k].page
	return !slices.Equal(was.Names, p.Names) || !slices.EqualFunc(was.Cells, p.Cells, func(a, b []rawValue) bool {
		return slices.EqualFunc(a, b, func(x, y rawValue) bool { return string(x) == string(y) })
	})
}
