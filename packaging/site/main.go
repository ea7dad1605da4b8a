// Command site builds Easel's web site from the repository's Markdown:
//
//	site OUT
//
// The pages work from a file system or any web server, without a network: styles, pictures and
// the search are files beside them. README.md, SECURITY.md and the others at the root are pages,
// too, because pages of docs refer to them. The two start pages and what all pages share are
// in theme. See docs/adr/0054-the-site-is-made-by-goldmark.md.
//
// # Goroutines
//
// There is one.
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: site OUT (in the repository's root)")
	}
	s, err := read(".")
	if err != nil {
		return err
	}
	return s.write(args[0])
}
