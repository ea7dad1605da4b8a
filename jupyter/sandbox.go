package jupyter

import (
	"encoding/json"
	"path/filepath"

	"easel/internal/system"
	"easel/jupyter/sandbox"
)

// Sandbox returns the sandbox in which Easel's own server has started a kernel; false if it has none.
func (s *Server) Sandbox(kernelID string) (start sandbox.Start, ok bool) {
	if s.runtimeDir == "" || kernelID == "" || kernelID != filepath.Base(kernelID) {
		return start, false
	}
	text, err := system.ReadRegular(filepath.Join(filepath.Dir(s.runtimeDir), "sandboxed", kernelID, "start.json"), 1<<20)
	if err != nil || json.Unmarshal(text, &start) != nil {
		return start, false
	}
	return start, true
}
