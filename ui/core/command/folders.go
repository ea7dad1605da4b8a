package command

import (
	"easel/eventbus"
	"easel/mcphost/catalog"
)

// IncludeSubfoldersIn asks to show a directory on disk with or without its subfolders.
type IncludeSubfoldersIn struct {
	Path string
	On   bool
}

// IncludeSubfolders opens a directory on disk with or without its subfolders. It is remembered.
var IncludeSubfolders = eventbus.NewTopic[IncludeSubfoldersIn, catalog.ViewOut]("include_subfolders")

// ListFolderIn asks to wait until the open directory has been listed.
type ListFolderIn struct {
	Path     string      // of the directory that is meant
	Progress func(n int) // called from time to time with the number of files, on any goroutine; may be nil
}

// ListFolder waits until the open directory has been listed. When its context ends, it stops that; what was listed stays.
var ListFolder = eventbus.NewTopic[ListFolderIn, struct{}]("list_folder")
