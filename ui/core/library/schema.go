package library

import (
	"embed"
	"fmt"
)

//go:embed schema/*.sql
var schemas embed.FS

// migrations upgrade the database step by step; schema/n.sql creates version n. Released
// migrations are never edited; new ones are appended.
var migrations = readMigrations()

func readMigrations() (all []string) {
	for {
		text, err := schemas.ReadFile(fmt.Sprintf("schema/%d.sql", len(all)+1))
		if err != nil {
			return all
		}
		all = append(all, string(text))
	}
}
