// Package data shows tables: the frames, arrays and lists of kernels. Each open table has a tab in
// a page of its own. The kernel is asked for the rows and columns in sight only, while it is idle;
// what it has answered stays in the window, also when the variable is gone.
//
// # Goroutines
//
// Everything belongs to the UI goroutine. A [Reader] asks on other goroutines and calls back on it.
package data

import (
	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// A Reader asks a kernel about tables. Each function returns how to cancel the question. After that,
// done may still be called.
type Reader struct {
	Shape  func(in command.TableRef, done func(command.TableShape, error)) (cancel func())
	Page   func(in command.TablePageIn, done func(command.TablePage, error)) (cancel func())
	Heads  func(in command.TableHeadsIn, done func(command.TableHeads, error)) (cancel func())
	Search func(in command.TableSearchIn, done func(command.TableSearchOut, error)) (cancel func())
	Code   func(in command.TableView, done func(command.TableCode, error)) (cancel func())
	Forget func(in command.TableRef)
}

// A Port is what the page may read and do in the window.
type Port struct {
	Read        Reader
	Snapshot    func() *state.Snapshot
	SessionName func(id string) string
	Ended       func(session string) int // how many runs of a session have ended
	Copy        func(text, what string)
	Say         func(m kit.Mark, text string)
	Menu        func(at fyne.Position, items ...*fyne.MenuItem)
	Sheet       func(title, text string) // shows a long text
	// Form asks for texts. labels are message IDs.
	Form func(title, yes string, fields []*kit.Field, labels []string, do func())
	// Ask lets the user ask about a place. It is named for the user and described for an assistant.
	Ask       func(place catalog.TablePlace, name, description string)
	Questions func(of command.TableRef) // shows what the user has asked about a table

	Focus   func(fyne.Focusable)
	Forward func(fyne.Shortcut) // handles the keys with Ctrl that the page does not use
	Typed   func(rune)          // handles what is typed into no field
	Back    func()              // shows the gallery
}
