package command

import (
	"image"

	"easel/eventbus"
	"easel/mcphost/catalog"
)

// AskQuestionIn is what the user asks about a place in an image.
type AskQuestionIn struct {
	ID string // of the image
	catalog.Mark
	Words string
}

// AskQuestion stores a question, which the next result of an assistant's tool announces.
var AskQuestion = eventbus.NewTopic[AskQuestionIn, catalog.Question]("ask_question")

// QuestionStateIn says how far the user is with a question.
type QuestionStateIn struct {
	ID    string
	State catalog.QuestionState
}

// SetQuestionState says how far the user is with a question.
var SetQuestionState = eventbus.NewTopic[QuestionStateIn, struct{}]("set_question_state")

// DeleteQuestion deletes a question, by its ID.
var DeleteQuestion = eventbus.NewTopic[string, struct{}]("delete_question")

// SetRegionIn selects a region of an image.
type SetRegionIn struct {
	ID   string
	Rect image.Rectangle // in pixels; an empty one removes the region
}

// SetRegion selects a region of an image, for the user. An image has one at most.
var SetRegion = eventbus.NewTopic[SetRegionIn, struct{}]("set_region")

// DescribeRegion describes a region of an image, with data coordinates if the image has some.
var DescribeRegion = eventbus.NewTopic[SetRegionIn, catalog.Region]("describe_region")
