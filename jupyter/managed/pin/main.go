// Command pin pins the packages of Easel's own Python environment: it writes
// requirements.txt and wheels.txt from requirements.in and first.in. It needs uv.
//
//	go generate ./jupyter/managed
//
// # Goroutines
//
// There is one.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// installer is the package of uv, which installs the others.
const installer = "uv"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pin:", err)
		os.Exit(1)
	}
}

// run pins the packages. args are further arguments for uv, for example --upgrade.
func run(args []string) error {
	common := []string{"pip", "compile", "--quiet", "--universal", "--python-version", "3.10"}
	err := uv(slices.Concat(common, args, []string{
		"requirements.in", "--annotation-style", "line",
		"--custom-compile-command", "go generate ./jupyter/managed", "--output-file", "requirements.txt",
	}))
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "pin-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	all, first := path.Join(scratch, "pylock.toml"), path.Join(scratch, "pylock.first.toml")
	same := slices.Concat(common, []string{"--constraint", "requirements.txt", "--format", "pylock.toml"})
	if err := uv(slices.Concat(same, []string{"requirements.in", "installer.in", "--output-file", all})); err != nil {
		return err
	}
	if err := uv(slices.Concat(same, []string{"first.in", "--output-file", first})); err != nil {
		return err
	}
	return writeWheels(all, first)
}

func uv(args []string) error {
	cmd := exec.Command("uv", args...) //nolint:gosec,noctx // a developer's command
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

// A lock is the part of a pylock.toml that is used here.
type lock struct {
	Packages []struct {
		Name    string `toml:"name"`
		Version string `toml:"version"`
		Wheels  []struct {
			Name   string `toml:"name"`
			URL    string `toml:"url"`
			Size   int64  `toml:"size"`
			Hashes struct {
				SHA256 string `toml:"sha256"`
			} `toml:"hashes"`
		} `toml:"wheels"`
	} `toml:"packages"`
}

func read(file string) (l lock, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return l, err
	}
	return l, toml.Unmarshal(text, &l)
}

// wanted matches the wheels of the Pythons and systems that Easel supports.
var wanted = regexp.MustCompile(`-(py3|py2\.py3|cp3(?:[2-9]|1[0-4]))-(none|abi3|cp31[0-4])-` +
	`(any|(?:many|musl)linux.*_(?:x86_64|aarch64)|macosx_[\w.]+|win_amd64|win_arm64)\.whl$`)

func writeWheels(all, first string) error {
	every, err := read(all)
	if err != nil {
		return err
	}
	early, err := read(first)
	if err != nil {
		return err
	}
	stages := map[string]string{}
	for _, p := range early.Packages {
		stages[p.Name+" "+p.Version] = " first"
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, "# Made by go generate ./jupyter/managed: the wheels of the pinned packages, with SHA-256\n# and size. \"first\" marks the packages that the first plot needs.")
	for _, p := range every.Packages {
		stage := stages[p.Name+" "+p.Version]
		if p.Name == installer {
			stage = " installer"
		}
		fmt.Fprintf(&b, "%s %s%s\n", p.Name, p.Version, stage)
		for _, w := range p.Wheels {
			name := cmp.Or(w.Name, w.URL[strings.LastIndexByte(w.URL, '/')+1:])
			if wanted.MatchString(name) {
				fmt.Fprintf(&b, " %s %d %s\n", w.Hashes.SHA256, w.Size, name)
			}
		}
	}
	return os.WriteFile("wheels.txt", b.Bytes(), 0o644) //nolint:gosec // a source file
}
