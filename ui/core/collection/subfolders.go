package collection

import (
	"context"

	"easel/ui/core/folders"
)

// WaitLoaded waits until every file of the open directory has been read, or until ctx ends.
func (c *Collection) WaitLoaded(ctx context.Context) error {
	if d := c.directory(); d != nil {
		return d.WaitLoaded(ctx)
	}
	return nil
}

// WaitListed waits until every file of the open directory has been listed, or until ctx ends. Until then
// it calls progress, which may be nil, from time to time with their number.
func (c *Collection) WaitListed(ctx context.Context, progress func(n int)) error {
	d := c.directory()
	if d == nil {
		return nil
	}
	return d.WaitListed(ctx, progress)
}

// Listing reports whether the open directory is still being listed.
func (c *Collection) Listing() bool {
	d := c.directory()
	return d != nil && d.Listing()
}

// StopListing ends the listing of the open directory. What was listed stays.
func (c *Collection) StopListing() {
	if d := c.directory(); d != nil {
		d.StopListing()
	}
}

// Subfolders returns the directories in the open one, as far as they are known. It reads nothing.
func (c *Collection) Subfolders() []folders.Subfolder {
	if d := c.directory(); d != nil {
		return d.Subfolders()
	}
	return nil
}
