package core

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"easel/ui/core/settings"
)

// maxLog is the size in bytes above which a log is rotated at the next start.
const maxLog = 10 << 20

// OpenLog opens the log in the data directory, which has one JSON object per line. It
// renames a log larger than 10 MiB to easel.log.1.
func OpenLog(o settings.Options) (log *slog.Logger, closeLog func() error, err error) {
	dir := filepath.Join(o.DataDir, "logs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("creating the log: %w", err)
	}
	path := filepath.Join(dir, "easel.log")
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, nil, fmt.Errorf("renaming the old log: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the log: %w", err)
	}
	var level slog.Level
	if o.LogLevel != "" {
		if err := level.UnmarshalText([]byte(o.LogLevel)); err != nil {
			return nil, nil, fmt.Errorf("the log level: %w", err)
		}
	}
	return slog.New(slog.NewJSONHandler(f, &slog.HandlerOptions{Level: level})), f.Close, nil
}
