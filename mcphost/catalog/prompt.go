package catalog

import (
	"easel/eventbus"
	"easel/mcphost/tool"
)

// A Prompt is a request to the model that the user picks in a client, often as a slash
// command. Easel fills in what it knows: the head of a file, the code of the selected
// plots, or the plots themselves.
type Prompt struct {
	Name, Title, Description string
	Toolset                  tool.Toolset // clients that exclude it do not see the prompt
	Arguments                []PromptArgument
}

// A PromptArgument is what the user types after a prompt's name.
type PromptArgument struct {
	Name, Title, Description string
	Required                 bool
	Of                       Completable // kind of value; "" means any text
}

// A Completable is a kind of value that Easel can complete.
type Completable string

// What can be completed.
const (
	OfSessions  Completable = "session"   // ids of sessions
	OfFiles     Completable = "file"      // paths on the Jupyter server
	OfImages    Completable = "image"     // URIs and the words selected and latest
	OfImageIDs  Completable = "image_id"  // of the session in session_id
	OfImageExts Completable = "extension" // of the image in session_id and image_id
	OfPlotHomes Completable = "plot_home" // ids of sessions with images, including ended ones
)

// MaxPromptArgument is the maximum length of an argument, in characters.
const MaxPromptArgument = 4_096

// Prompts lists the prompts in the order in which clients see them.
func Prompts() []Prompt {
	session := PromptArgument{
		Name: "session_id", Title: "Session", Of: OfSessions,
		Description: "session to work in; if omitted, a new one is started",
	}
	image := PromptArgument{
		Name: "image", Title: "Plot", Of: OfImages,
		Description: "path or jupyter:// URI of the plot, selected or latest; if omitted, selected",
	}
	return []Prompt{
		{
			Name: "analyse_file", Title: "Analyse this file", Toolset: tool.Jupyter,
			Description: "Explore a data file: its contents, its problems, and plots that show both.",
			Arguments: []PromptArgument{
				{Name: "path", Title: "File", Description: "path of the file on the Jupyter server", Required: true, Of: OfFiles},
				{Name: "question", Title: "Question", Description: "what you want to know about it"},
				session,
			},
		},
		{
			Name: "continue_from_selection", Title: "Continue from the selected plots", Toolset: tool.Gallery,
			Description: "Continue with the plots selected in Easel's window, using their code and session.",
			Arguments: []PromptArgument{
				{Name: "goal", Title: "Goal", Description: "what to do with them"},
			},
		},
		{
			Name: "ask_about_selection", Title: "Ask about the selected part", Toolset: tool.Gallery,
			Description: "Ask about the part of a plot that is selected in Easel's window.",
			Arguments: []PromptArgument{
				{Name: "question", Title: "Question", Description: "what you want to know; if omitted, what you asked in the window"},
			},
		},
		{
			Name: "rework_plot", Title: "Rework a plot", Toolset: tool.Gallery,
			Description: "Redraw a plot with a change, starting from the code that made it.",
			Arguments: []PromptArgument{
				{Name: "wish", Title: "Change", Description: "what to change, for example: larger labels, for a slide", Required: true},
				image,
			},
		},
	}
}

// GetPromptIn is the name of a prompt and its arguments, which the host has checked.
type GetPromptIn struct {
	Name      string
	Arguments map[string]string
}

// A PromptMessage is a part of what the user says to the model: a text, or an image that
// the host sends as a picture.
type PromptMessage struct {
	Text  string
	Image string // URI or id
}

// GetPromptOut is a prompt, filled in.
type GetPromptOut struct {
	Description string
	Messages    []PromptMessage
}

// GetPrompt fills in a prompt.
var GetPrompt = eventbus.NewTopic[GetPromptIn, GetPromptOut]("get_prompt")

// CompleteIn asks for values that the user may be typing.
type CompleteIn struct {
	Of    Completable
	Value string            // typed so far
	Given map[string]string // the other arguments that are known
	Limit int               // maximum number of values
}

// CompleteOut lists values, the best first.
type CompleteOut struct {
	Values []string
	More   bool // there are more than Limit
}

// Complete completes an argument of a prompt or a part of a resource's URI. The user is
// typing, so it answers quickly, if necessary without values.
var Complete = eventbus.NewTopic[CompleteIn, CompleteOut]("complete")
