package doctor

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"easel/internal/mask"
)

// logTail is how much of the end of the log a report has, in bytes.
const logTail = 64 << 10

// Report writes what others need to find a problem: the findings, the system and the end of the log.
// Secrets that m knows are masked, and the home directory is called ~. It returns what Run does.
func Report(ctx context.Context, w io.Writer, cfg Config, m *mask.Mask) int {
	var b bytes.Buffer
	say(&b, "Easel %s, %s/%s, %s\n\n", cfg.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	code := Run(ctx, &b, cfg)
	text := m.String(b.String())
	if log := tailOf(filepath.Join(cfg.DataDir, "logs", "easel.log")); len(log) > 0 {
		text += "\nThe end of the log:\n" + string(m.JSON(log))
	}
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		text = strings.ReplaceAll(text, home, "~")
	}
	say(w, "%s", text)
	return code
}

// tailOf returns the last whole lines of a file.
func tailOf(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // it is only read
	if info, err := f.Stat(); err == nil && info.Size() > logTail {
		if _, err := f.Seek(-logTail, io.SeekEnd); err != nil {
			return nil
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, logTail))
	if err != nil {
		return nil
	}
	if len(text) == logTail {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text
}
