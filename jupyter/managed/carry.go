package managed

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"easel/internal/system"
)

// carryOver copies the packages that the user has installed in an older environment, for
// example with %pip, to a new one of the same version of Python. So they survive an
// update, without a network. It skips the packages that Easel installs, now or in the
// older version, and returns the names of the others.
func carryOver(from, to layout, formerly map[string]bool) (names []string, errs error) {
	source, err := from.sitePackages()
	if err != nil {
		return nil, err
	}
	target, err := to.sitePackages()
	if err != nil {
		return nil, err
	}
	infos := system.Glob(source, "*.dist-info")
	ours := locked().names()
	for _, info := range infos {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(info), ".dist-info"), "-")
		name = normal(name)
		if ours[name] || formerly[name] {
			continue
		}
		if err := copyPackage(info, source, target, from.env, to.env); err != nil {
			errs = errors.Join(errs, err)
			continue
		}
		names = append(names, name)
	}
	return names, errs
}

// copyPackage copies the files in a package's RECORD. It does not replace a file.
func copyPackage(info, source, target, fromEnv, toEnv string) error {
	text, err := os.ReadFile(filepath.Join(info, "RECORD"))
	if err != nil {
		return err
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	for _, r := range records {
		file := filepath.Join(source, filepath.FromSlash(r[0]))
		rel, err := filepath.Rel(fromEnv, file)
		if err != nil || !filepath.IsLocal(rel) || strings.HasSuffix(rel, ".pyc") {
			continue // outside of the environment
		}
		to := filepath.Join(toEnv, rel)
		if inSite, err := filepath.Rel(source, file); err == nil && filepath.IsLocal(inSite) {
			to = filepath.Join(target, inSite)
		}
		if err := copyFile(file, to, fromEnv, toEnv); err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a file. In the first line of a script, it replaces the environment.
func copyFile(from, to, fromEnv, toEnv string) error {
	st, err := os.Stat(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil // removed since
	}
	if err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(data, []byte("#!")) {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		line = bytes.Replace(line, []byte(fromEnv), []byte(toEnv), 1)
		data = append(append(line, '\n'), rest...)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // as pip does
		return err
	}
	return os.WriteFile(to, data, st.Mode().Perm())
}
