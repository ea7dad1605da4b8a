package catalog

import (
	"encoding/json"
	"image"
	"time"

	"easel/eventbus"
)

// A Shape is how a question marks its place in the image.
type Shape string

// The shapes.
const (
	Box   Shape = "" // the outline of Rect
	Arrow Shape = "arrow"
	Point Shape = "point"
)

// A QuestionState is how far the user is with a question.
type QuestionState string

// The states.
const (
	QuestionOpen     QuestionState = ""
	QuestionAnswered QuestionState = "answered"
	QuestionDone     QuestionState = "done"
)

// A Mark is a place in an image, in pixels.
type Mark struct {
	Shape Shape           `json:"shape,omitempty"`
	Rect  image.Rectangle `json:"rect"`          // around the mark
	From  image.Point     `json:"from,omitzero"` // of an arrow
	To    image.Point     `json:"to,omitzero"`   // where an arrow points, or the point
}

// A TablePlace is a cell or a column of a variable, as the user looks at it.
type TablePlace struct {
	SessionID string        `json:"session_id" jsonschema:"session that has the variable"`
	Variable  string        `json:"variable" jsonschema:"its name"`
	Type      string        `json:"type,omitempty" jsonschema:"its type"`
	Shape     []int         `json:"shape" jsonschema:"rows and columns"`
	Column    string        `json:"column" jsonschema:"label of the column"`
	Number    int           `json:"column_number" jsonschema:"position of the column, from 0"`
	Dtype     string        `json:"dtype,omitempty" jsonschema:"type of the column"`
	Row       *TableRow     `json:"row,omitempty" jsonschema:"row of the cell; if omitted, the column is meant"`
	Sort      []TableOrder  `json:"sort,omitempty" jsonschema:"how the user has sorted the rows; the variable is not changed"`
	Filters   []TableFilter `json:"filters,omitempty" jsonschema:"which rows the user sees"`
}

// A TableRow is the row of a cell.
type TableRow struct {
	Label  string          `json:"label,omitempty" jsonschema:"label in the index, if there is one"`
	Number int             `json:"row_number" jsonschema:"position in the variable, from 0"`
	Value  json.RawMessage `json:"value" jsonschema:"value of the cell; null: it is missing"`
}

// A TableOrder sorts by a column.
type TableOrder struct {
	Column     string `json:"column" jsonschema:"label of the column"`
	Descending bool   `json:"descending,omitempty" jsonschema:"the largest value comes first"`
}

// A TableFilter leaves the rows with some values in a column.
type TableFilter struct {
	Column string          `json:"column" jsonschema:"label of the column"`
	Op     string          `json:"op" jsonschema:"is, not, contains, range, missing or present"`
	Value  json.RawMessage `json:"value,omitempty" jsonschema:"of is, not and contains"`
	From   string          `json:"from,omitempty" jsonschema:"of a range"`
	To     string          `json:"to,omitempty" jsonschema:"of a range"`
}

// A Question is what the user asks about a part of a plot, or of a table.
type Question struct {
	ID          string        `json:"question_id" jsonschema:"ID of the question"`
	Number      int           `json:"mark,omitempty" jsonschema:"number of its mark in the plot"`
	Shape       Shape         `json:"shape,omitempty" jsonschema:"arrow or point; if omitted: a box"`
	State       QuestionState `json:"state,omitempty" jsonschema:"answered or done; if omitted: open"`
	Words       string        `json:"question" jsonschema:"what the user asks"`
	Plot        string        `json:"plot,omitempty" jsonschema:"URI of the plot, or path of the file"`
	Region      string        `json:"region" jsonschema:"part of the plot or table that is meant, in words"`
	Table       *TablePlace   `json:"table,omitempty" jsonschema:"instead of a plot, the cell or column that is meant"`
	Axes        []RegionAxes  `json:"axes,omitempty" jsonschema:"the same as data coordinates"`
	Crop        string        `json:"crop,omitempty" jsonschema:"URI of that part of the picture"`
	AskedAt     time.Time     `json:"asked_at" jsonschema:"when the user asked"`
	AnnouncedTo string        `json:"announced_to,omitempty" jsonschema:"client that was told first"`
	AnnouncedAt *time.Time    `json:"announced_at,omitempty" jsonschema:"when that was"`
}

// AnnounceQuestions returns the questions that the calling client should be told now, and marks
// them as told. A question is told once: first of all to a client that works in the session of
// its plot.
var AnnounceQuestions = eventbus.NewTopic[struct{}, []Question]("announce_questions")
