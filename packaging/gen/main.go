// Command gen makes the parts of the packages that need no tool of another system: the man
// page and the completions from Easel's own help, icons for Windows and macOS, universal
// programs for macOS, ZIP archives that are the same each time, wheels for Python, and files that
// contain the version and the addresses of packaging/project.env.
//
//	gen man easel.1
//	gen completions DIR
//	gen ico easel.ico
//	gen icns Easel.icns
//	gen fat OUT PROGRAM...
//	gen zip OUT DIR
//	gen wheel DIR TAG PROGRAM
//	gen fill OUT TEMPLATE [NAME=VALUE...]
//
// SOURCE_DATE_EPOCH sets the time in what it writes, and VERSION the version.
//
// # Goroutines
//
// There is one.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: gen man|completions|ico|icns|fat|zip|wheel|fill OUT [ARGUMENT...]")
	}
	what, out, rest := args[0], args[1], args[2:]
	var data []byte
	var err error
	switch what {
	case "man":
		data = manPage(readHelp(), stamp())
	case "completions":
		return writeCompletions(out, readHelp())
	case "ico":
		data, err = ico()
	case "icns":
		data, err = icns()
	case "fat":
		data, err = fat(rest)
	case "zip":
		if len(rest) != 1 {
			return errors.New("usage: gen zip OUT DIR")
		}
		return zipDir(out, rest[0], stamp())
	case "wheel":
		if len(rest) != 2 {
			return errors.New("usage: gen wheel DIR TAG PROGRAM")
		}
		p, err := readProject()
		if err != nil {
			return err
		}
		return wheel{p, os.Getenv("VERSION"), rest[0], rest[1]}.write(out, stamp())
	case "fill":
		if len(rest) == 0 {
			return errors.New("usage: gen fill OUT TEMPLATE [NAME=VALUE...]")
		}
		data, err = fillFile(rest[0], rest[1:])
	default:
		return fmt.Errorf("%q is none of man, completions, ico, icns, fat, zip, wheel, fill", what)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o644) //nolint:gosec // it is published
}

// stamp returns the time of SOURCE_DATE_EPOCH, or 1980, where ZIP's calendar begins.
func stamp() time.Time {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Unix(seconds, 0).UTC()
}
