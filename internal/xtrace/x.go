package xtrace

import (
	"fmt"
	"os"
	"time"
)

var f *os.File

func init() {
	if p := os.Getenv("EASEL_TRACE"); p != "" {
		f, _ = os.Create(p)
	}
}
func T(s string, a ...any) {
	if f != nil {
		fmt.Fprintf(f, "%d %s\n", time.Now().UnixMicro(), fmt.Sprintf(s, a...))
	}
}
