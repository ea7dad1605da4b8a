package collection

import (
	"context"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
)

// What follows is the library's alone: a directory has none of it.

// ImageAt returns the newest image of the library with a path.
func (c *Collection) ImageAt(ctx context.Context, path string) (library.Image, error) {
	return c.Library.Images.ImageAt(ctx, path)
}

// Versions returns the ids of the versions of an image's figure, oldest first.
func (c *Collection) Versions(ctx context.Context, id string) ([]string, error) {
	return c.Library.Images.Versions(ctx, id)
}

// Delete deletes images for good.
func (c *Collection) Delete(ctx context.Context, ids []string) error {
	return c.Library.Images.Delete(ctx, ids)
}

// PurgeTrash deletes what was moved to the trash before a time, and returns how many figures.
func (c *Collection) PurgeTrash(ctx context.Context, before time.Time) (int, error) {
	return c.Library.Images.PurgeTrash(ctx, before)
}

// Session returns a session.
func (c *Collection) Session(ctx context.Context, id string) (library.Session, error) {
	return c.Library.Sessions.Get(ctx, id)
}

// Execution returns an execution.
func (c *Collection) Execution(ctx context.Context, id string) (library.Execution, error) {
	return c.Library.Executions.Get(ctx, id)
}

// Environment returns what the kernel of an execution ran in.
func (c *Collection) Environment(ctx context.Context, e library.Execution) (catalog.Environment, error) {
	return c.Library.Executions.Environment(ctx, e)
}

// Questions returns the questions about an image's figure.
func (c *Collection) Questions(ctx context.Context, image string) ([]library.Question, error) {
	return c.Library.Questions.About(ctx, image)
}

// Deliveries returns what clients got of an image.
func (c *Collection) Deliveries(ctx context.Context, image string) ([]library.Delivery, error) {
	return c.Library.Images.Deliveries(ctx, image)
}

// Check returns the result of the check of an image.
func (c *Collection) Check(ctx context.Context, idOrURI string) (library.Check, error) {
	return c.Library.Checks.Get(ctx, idOrURI)
}

// Changes returns the feed of what changes in the library and in the open directory.
func (c *Collection) Changes() *feed.Feed { return c.Library.Changes() }

// AssistantOf returns which assistant asked for an execution, as in tool.Caller; "" if nobody knows.
func (c *Collection) AssistantOf(ctx context.Context, execution string) string {
	x, err := c.Library.Executions.Get(ctx, execution)
	if err != nil {
		return "" // it may have been deleted since
	}
	return x.Assistant
}
