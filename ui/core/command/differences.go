package command

import (
	"easel/eventbus"
	"easel/ui/core/facts/differences"
)

// DifferencesIn names two plots by their ids, the earlier one first.
type DifferencesIn struct{ Before, After string }

// Differences are what is different between two plots.
type Differences struct {
	Code  []differences.Line
	Facts []differences.Change
	Known bool // it is known what both show in numbers
}

// DifferencesOf compares the code of two plots, and what they show in numbers.
var DifferencesOf = eventbus.NewTopic[DifferencesIn, Differences]("differences_of")
