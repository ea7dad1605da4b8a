package core

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"easel/internal/mask"
	"easel/internal/system"
	"easel/ui/core/settings"
)

// maxLog is the size in bytes above which a log is rotated at the next start.
const maxLog = 10 << 20

// OpenLog opens the log in the data directory, which has one JSON object per line. It
// renames a log larger than 10 MiB to easel.log.1. If that fails, because another program
// has one of them open, the log grows until a later start. Secrets that m knows are masked.
func OpenLog(o settings.Options, m *mask.Mask) (log *slog.Logger, closeLog func() error, err error) {
	dir := filepath.Join(o.DataDir, "logs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("the log cannot be created: %w; choose another data directory with --data-dir or EASEL_DATA_DIR", err)
	}
	path := filepath.Join(dir, "easel.log")
	var rotated error
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		rotated = os.Rename(path, path+".1")
	}
	f, err := system.OpenAppend(path)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the log: %w", err)
	}
	var level slog.Level
	if o.LogLevel != "" {
		if err := level.UnmarshalText([]byte(o.LogLevel)); err != nil {
			return nil, nil, fmt.Errorf("the log level: %w", err)
		}
	}
	log = slog.New(slog.NewJSONHandler(m.Writer(f), &slog.HandlerOptions{Level: level}))
	if rotated != nil {
		log.Warn("the log is large and cannot be renamed", "err", rotated)
	}
	return log, f.Close, nil
}
