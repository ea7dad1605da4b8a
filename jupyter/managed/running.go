package managed

// Running reports whether a Jupyter server of this data directory is running. After a
// crash of Easel, it runs until its lease ends.
func Running(dataDir string) bool {
	r, err := newLayout(dataDir).readRecord()
	return err == nil && r.alive()
}
