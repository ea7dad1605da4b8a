package collection

import "easel/ui/core/folders"

// Subfolders returns the directories in the open one, as far as they are known. It reads nothing.
func (c *Collection) Subfolders() []folders.Subfolder {
	if d := c.directory(); d != nil {
		return d.Subfolders()
	}
	return nil
}
