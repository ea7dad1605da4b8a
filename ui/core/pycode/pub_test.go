package pycode

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

func TestPublic(t *testing.T) {
	dir := os.Getenv("NB")
	if dir == "" {
		t.Skip()
	}
	total, asked := 0, 0
	why := map[string]int{}
	files, _ := filepath.Glob(dir + "/*.ipynb")
	sort.Strings(files)
	for _, p := range files {
		raw, _ := os.ReadFile(p)
		var nb struct {
			Cells []struct {
				Cell_type string
				Source    any
			}
		}
		if json.Unmarshal(raw, &nb) != nil {
			continue
		}
		f := NewFollower(Folder{"/work", func(string) bool { return false }}, true)
		for _, c := range nb.Cells {
			if c.Cell_type != "code" {
				continue
			}
			src := ""
			switch v := c.Source.(type) {
			case string:
				src = v
			case []any:
				for _, l := range v {
					s, _ := l.(string)
					src += s
				}
			}
			if strings.TrimSpace(src) == "" {
				continue
			}
			total++
			rs := f.Risks(src)
			if len(rs) > 0 {
				asked++
				for _, r := range rs[:1] {
					why[string(r.Kind)]++
					fmt.Printf("%s|%s|%d %s|%.90s\n", filepath.Base(p), r.Kind, r.Line, r.What, strings.Split(plainLines(src), "\n")[max(0, r.Line-1)])
				}
			}
			f.Learn(src, false)
		}
	}
	fmt.Println("TOTAL", total, "ASKED", asked, why)
}
