package catalog

import (
	"easel/eventbus"
	"easel/mcphost/tool"
)

// A Prompt is a request to the model that the user picks in their client, often as
// a slash command. Easel fills in what it knows: the head of a file, the code of
// the plots that are selected, the plots themselves.
type Prompt struct {
	Name, Title, Description string
	Toolset                  tool.Toolset // a client that left it out does not see the prompt
	Arguments                []PromptArgument
}

// A PromptArgument is what the user types after a prompt's name.
type PromptArgument struct {
	Name, Title, Description string
	Required                 bool
	Of                       Completable // what values there are; "": any text
}

// A Completable is a kind of value that Easel can complete.
type Completable string

// What can be completed.
const (
	OfSessions  Completable = "session"   // ids of sessions
	OfFiles     Completable = "file"      // paths on the Jupyter server
	OfImages    Completable = "image"     // URIs, and the words selected and latest
	OfImageIDs  Completable = "image_id"  // of the session given as session_id
	OfImageExts Completable = "extension" // of the image given as session_id and image_id
	OfPlotHomes Completable = "plot_home" // ids of sessions that have images, also of ended ones
)

// MaxPromptArgument is how long an argument may be, in characters.
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
			Name: "rework_plot", Title: "Rework a plot", Toolset: tool.Gallery,
			Description: "Redraw a plot with a change, starting from the code that made it.",
			Arguments: []PromptArgument{
				{Name: "wish", Title: "Change", Description: "what to change, for example: larger labels, for a slide", Required: true},
				image,
			},
		},
	}
}

// GetPromptIn names a prompt and has its arguments, which the host has checked.
type GetPromptIn struct {
	Name      string
	Arguments map[string]string
}

// A PromptMessage is a part of what the user says to the model: a text, or an
// image that the host shows as a picture.
type PromptMessage struct {
	Text  string
	Image string // URI or id
}

// GetPromptOut is a prompt, filled in.
type GetPromptOut struct {
	Description string
	Messages    []PromptMessage
}

// GetPrompt fills a prompt in.
var GetPrompt = eventbus.NewTopic[GetPromptIn, GetPromptOut]("get_prompt")

// CompleteIn asks what the user may be about to type.
type CompleteIn struct {
	Of    Completable
	Value string            // typed so far
	Given map[string]string // the other arguments, as far as they are known
	Limit int               // values wanted
}

// CompleteOut is the best values first.
type CompleteOut struct {
	Values []string
	More   bool // there are more than Limit
}

// Complete completes a prompt's argument or a part of a resource's URI. It answers
// soon or with nothing: the user is typing.
var Complete = eventbus.NewTopic[CompleteIn, CompleteOut]("complete")
