package browser

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"os"
	"path/filepath"
	"runtime"
)

// addFonts writes a configuration of fontconfig to the profile, which adds dirs to the fonts of
// the system. It returns the environment variable that makes the browser read it; none where
// browsers do not use fontconfig.
func addFonts(profile string, dirs []string, w way) (env []string, err error) {
	if len(dirs) == 0 || runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return nil, nil
	}
	if w.user != nil { // another user cannot read Easel's directory
		own := filepath.Join(profile, "fonts")
		for _, dir := range dirs {
			if err := os.CopyFS(own, os.DirFS(dir)); err != nil {
				return nil, err
			}
		}
		if err := readable(own); err != nil {
			return nil, err
		}
		dirs = []string{own}
	}
	system := cmp.Or(os.Getenv("FONTCONFIG_FILE"), filepath.Join(cmp.Or(os.Getenv("FONTCONFIG_PATH"), "/etc/fonts"), "fonts.conf"))
	var text bytes.Buffer
	element := func(open, value, end string) {
		text.WriteString(open)
		_ = xml.EscapeText(&text, []byte(value)) // a Buffer does not fail
		text.WriteString(end + "\n")
	}
	text.WriteString("<?xml version=\"1.0\"?>\n<fontconfig>\n")
	element(`<include ignore_missing="yes">`, system, "</include>")
	for _, dir := range dirs {
		element("<dir>", dir, "</dir>")
	}
	text.WriteString("</fontconfig>\n")
	file := filepath.Join(profile, "fonts.conf")
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil { //nolint:gosec // the browser's user reads it
		return nil, err
	}
	return []string{"FONTCONFIG_FILE=" + file}, nil
}

// readable lets every user read a directory of fonts in the profile.
func readable(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o755) //nolint:gosec // it contains only Easel's fonts
		}
		return os.Chmod(path, 0o644) //nolint:gosec // the browser's user reads it
	})
}
