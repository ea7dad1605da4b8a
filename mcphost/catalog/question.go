package catalog

import (
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

// A Question is what the user asks about a part of a plot.
type Question struct {
	ID          string        `json:"question_id" jsonschema:"ID of the question"`
	Number      int           `json:"mark,omitempty" jsonschema:"number of its mark in the plot"`
	Shape       Shape         `json:"shape,omitempty" jsonschema:"arrow or point; if omitted: a box"`
	State       QuestionState `json:"state,omitempty" jsonschema:"answered or done; if omitted: open"`
	Words       string        `json:"question" jsonschema:"what the user asks"`
	Plot        string        `json:"plot" jsonschema:"URI of the plot, or path of the file"`
	Region      string        `json:"region" jsonschema:"part of the plot that is meant"`
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
