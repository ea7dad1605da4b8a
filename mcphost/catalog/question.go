package catalog

import (
	"time"

	"easel/eventbus"
)

// A Question is what the user asks about a part of a plot.
type Question struct {
	ID          string     `json:"question_id" jsonschema:"ID of the question"`
	Words       string     `json:"question" jsonschema:"what the user asks"`
	Plot        string     `json:"plot" jsonschema:"URI of the plot, or path of the file"`
	Region      string     `json:"region" jsonschema:"part of the plot that is meant"`
	Crop        string     `json:"crop,omitempty" jsonschema:"URI of that part of the picture"`
	AskedAt     time.Time  `json:"asked_at" jsonschema:"when the user asked"`
	AnnouncedTo string     `json:"announced_to,omitempty" jsonschema:"client that was told first"`
	AnnouncedAt *time.Time `json:"announced_at,omitempty" jsonschema:"when that was"`
}

// AnnounceQuestions returns the questions that the calling client should be told now, and marks
// them as told. A question is told once: first of all to a client that works in the session of
// its plot.
var AnnounceQuestions = eventbus.NewTopic[struct{}, []Question]("announce_questions")
