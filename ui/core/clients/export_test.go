package clients

// Merge is merge, for the fuzz test, in which files would be too slow.
func (c Client) Merge(file []byte, conn Connection) ([]byte, bool, error) { return c.merge(file, conn) }
