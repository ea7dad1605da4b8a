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

// Subfolders returns the directories in the open one, as far as they are known. It reads nothing.
func (c *Collection) Subfolders() []folders.Subfolder {
	if d := c.directory(); d != nil {
		return d.Subfolders()
	}
	return nil
}
