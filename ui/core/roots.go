package core

import (
	"os"
	"runtime"
	"sync"
	"time"

	"easel/jupyter/discover"
)

// runtimeDirs returns the directories of the runtime files of the user's Jupyter servers.
func runtimeDirs() []string {
	home, _ := os.UserHomeDir() // without it, the environment may name the directories
	return discover.Dirs(runtime.GOOS, home, os.Getenv)
}

// rootOf returns a function that returns the directory that the server at a URL serves, if it
// runs on this machine and is the user's, or "". It looks every few seconds: a server may be
// started later, or in another directory.
func rootOf(url string) func() string {
	var mu sync.Mutex
	var root string
	var looked time.Time
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(looked) > seekEvery {
			root, looked = discover.Root(runtimeDirs(), url), time.Now()
		}
		return root
	}
}
