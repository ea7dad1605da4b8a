package export

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"easel/internal/truncate"
	"easel/ui/core/library"
)

// longestName is the largest length of a title in a file's name, in bytes.
const longestName = 120

// base returns the beginning of the names of the n-th plot's files, which is valid on every
// file system. The number makes it unique, even where case does not count.
func base(n, total int, im library.Image, title string) string {
	if im.SessionID == "" { // a file on disk, whose title is its file name
		title = strings.TrimSuffix(title, filepath.Ext(title))
	}
	number := fmt.Sprintf("%0*d", max(3, len(strconv.Itoa(total))), n)
	if name := safe(title); name != "" {
		return number + " " + name
	}
	return number
}

func safe(title string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == unicode.ReplacementChar, strings.ContainsRune(`/\:*?"<>|`, r):
			return '-'
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r): // such as marks that reverse the direction
			return -1
		}
		return r
	}, norm.NFC.String(title))
	return strings.Trim(truncate.Bytes(name, longestName), " .")
}

// codeEnding returns the extension of code for a kernelspec.
func codeEnding(kernel string) string {
	kernel = strings.ToLower(kernel)
	switch {
	case kernel == "ir" || strings.HasPrefix(kernel, "r-") || kernel == "xr":
		return ".R"
	case strings.HasPrefix(kernel, "julia"):
		return ".jl"
	case strings.HasPrefix(kernel, "javascript") || strings.HasPrefix(kernel, "deno"):
		return ".js"
	case strings.HasPrefix(kernel, "octave") || strings.HasPrefix(kernel, "matlab"):
		return ".m"
	case strings.HasPrefix(kernel, "bash"):
		return ".sh"
	}
	return ".py"
}
