package clients

// Merge is merge, for a fuzz test that has no time for files.
func (c Client) Merge(file []byte, conn Connection) ([]byte, bool, error) { return c.merge(file, conn) }
