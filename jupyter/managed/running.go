package managed

// Running reports whether a Jupyter server of this data directory is running, for a project
// or not. After a crash of Easel, it runs until its lease ends.
func Running(dataDir string) bool {
	d := newLayout(dataDir)
	r, err := d.readRecord()
	return err == nil && r.alive() || len(projectRecords(d)) > 0
}
