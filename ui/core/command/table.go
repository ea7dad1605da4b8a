package command

import (
	"encoding/json"

	"easel/eventbus"
	"easel/mcphost/catalog"
)

// A TableRef names a table: a variable of a session's kernel.
type TableRef struct {
	SessionID string `json:"-"`
	Name      string `json:"name"`
	// Epoch differs after code has run. Until then, the kernel may remember the order of the rows.
	Epoch string `json:"epoch"`
}

// A TableView is a table with the order and the filters that the user has chosen. The table itself
// stays as it is.
type TableView struct {
	TableRef
	Sort    []TableSort   `json:"sort,omitempty"` // by the first, then by the next; empty: as the rows are in the table
	Filters []TableFilter `json:"filters,omitempty"`
}

// A TableSort sorts the rows by a column. Missing values are last.
type TableSort struct {
	Column int  `json:"column"`
	Down   bool `json:"down"`
}

// The operators of filters.
const (
	FilterIs       = "is"
	FilterNot      = "not"
	FilterContains = "contains"
	FilterRange    = "range"
	FilterMissing  = "missing"
	FilterPresent  = "present"
)

// A TableFilter leaves the rows with some values in a column.
type TableFilter struct {
	Column int             `json:"column"`
	Op     string          `json:"op"`              // one of the above
	Value  json.RawMessage `json:"value,omitempty"` // of a cell, or a text
	Low    string          `json:"low,omitempty"`   // of a range; "" for none
	High   string          `json:"high,omitempty"`
}

// A TableShape is what is known of a whole table.
type TableShape struct {
	Type        string   `json:"type"` // for example pandas.DataFrame
	Rows        int      `json:"rows"`
	Columns     int      `json:"columns"`
	Index       []string `json:"index"` // names of the index, often one empty one; empty if rows are only counted
	MemoryBytes int64    `json:"memory_bytes"`
	ID          int64    `json:"id"` // differs if the variable has got another value
}

// ReadTableShape reads the shape of a table.
var ReadTableShape = eventbus.NewTopic[TableRef, TableShape]("read_table_shape")

// A TablePageIn is a part of a table.
type TablePageIn struct {
	TableView
	Row     int  `json:"row"` // in the view, from 0
	Rows    int  `json:"rows"`
	Column  int  `json:"column"`
	Columns int  `json:"columns"`
	Beside  bool `json:"-"`               // the order is new: code that comes meanwhile does not wait
	Whole   bool `json:"whole,omitempty"` // do not shorten texts; returns fewer rows if they are too many
}

// A TableColumn is the type of a column.
type TableColumn struct {
	Dtype string `json:"dtype"` // as its library names it
	Kind  string `json:"kind"`  // one of the kinds
}

// The kinds of columns.
const (
	KindNumber   = "number"
	KindBool     = "bool"
	KindDate     = "date"
	KindDuration = "duration"
	KindText     = "text"
)

// A TablePage is a part of a view of a table.
type TablePage struct {
	Names    []string            `json:"names"` // of the columns
	Dtypes   []TableColumn       `json:"dtypes"`
	Cells    [][]json.RawMessage `json:"cells"`    // by column; a missing value is null
	At       []int               `json:"at"`       // numbers of the rows in the table
	Index    []string            `json:"index"`    // of the rows; empty if they are only counted
	Matching int                 `json:"matching"` // rows that the filters leave
}

// ReadTable reads a part of a table.
var ReadTable = eventbus.NewTopic[TablePageIn, TablePage]("read_table")

// A TableHeadsIn names columns whose values are to be summarised.
type TableHeadsIn struct {
	TableView
	Column  int `json:"column"`
	Columns int `json:"columns"`
}

// A TableHead summarises the values of a column.
type TableHead struct {
	Count   int                  `json:"count"` // of rows
	Missing int                  `json:"missing"`
	Min     json.RawMessage      `json:"min"`
	Max     json.RawMessage      `json:"max"`
	Mean    *float64             `json:"mean"`
	Bins    []int                `json:"bins"` // a histogram from Min to Max
	Top     [][2]json.RawMessage `json:"top"`  // the most frequent values, and how often they occur
	Unique  int                  `json:"unique"`
	Failed  string               `json:"failed"` // the exception that kept it from being summarised
}

// TableHeads are the summaries of as many columns as took little time, one at least.
type TableHeads struct {
	Heads []TableHead `json:"heads"`
}

// ReadTableHeads summarises columns of a view.
var ReadTableHeads = eventbus.NewTopic[TableHeadsIn, TableHeads]("read_table_heads")

// ReadTableCode writes code of the kernel's language that makes a view of a variable. It is empty for a type of
// table that Easel writes no code for.
var ReadTableCode = eventbus.NewTopic[TableView, TableCode]("read_table_code")

// A TableCode is an expression.
type TableCode struct {
	Code string `json:"code"`
}

// A TableSearchIn is a text to find in a view after, or before, a cell.
type TableSearchIn struct {
	TableView
	Text   string `json:"text"`
	Row    int    `json:"row"`
	Column int    `json:"column"`
	Back   bool   `json:"back,omitempty"`
	Names  bool   `json:"names,omitempty"` // in the names of the columns after Column, and then from the first on
}

// A TableSearchOut is the cell that was found or, if More is set, where to continue.
type TableSearchOut struct {
	Found  bool `json:"found"`
	Row    int  `json:"row"`
	Column int  `json:"column"`
	More   bool `json:"more"`
}

// SearchTable searches a view for a short time.
var SearchTable = eventbus.NewTopic[TableSearchIn, TableSearchOut]("search_table")

// AskAboutTableIn is what the user asks about a cell or a column of a table.
type AskAboutTableIn struct {
	Place catalog.TablePlace
	Text  string // the place in words, for a model
	Words string
}

// AskAboutTable stores a question, which the next result of an assistant's tool announces.
var AskAboutTable = eventbus.NewTopic[AskAboutTableIn, catalog.Question]("ask_about_table")

// TableQuestions returns the user's questions about a table, oldest first.
var TableQuestions = eventbus.NewTopic[TableRef, []catalog.Question]("table_questions")

// ForgetTable has the kernel forget what it remembers of a table.
var ForgetTable = eventbus.NewTopic[TableRef, struct{}]("forget_table")
