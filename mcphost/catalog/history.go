package catalog

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// SearchHistoryIn says what to look for in earlier work.
type SearchHistoryIn struct {
	Query     string `json:"query,omitempty" jsonschema:"words that all occur in title, code, output or note"`
	SessionID string `json:"session_id,omitempty" jsonschema:"only of this session"`
	Since     string `json:"since,omitempty" jsonschema:"RFC 3339 time or date"`
	Limit     int    `json:"limit,omitempty" jsonschema:"entries"`
}

// A HistoryEntry is an earlier run with its plots, or a plot whose run is not known.
type HistoryEntry struct {
	ExecutionID string    `json:"execution_id,omitempty" jsonschema:"for get_execution; absent if only the plot is known"`
	SessionID   string    `json:"session_id" jsonschema:"the session that ran it"`
	Title       string    `json:"title,omitempty" jsonschema:"of its first plot that has one"`
	At          time.Time `json:"at" jsonschema:"when it was requested"`
	Status      string    `json:"status,omitempty" enum:"queued,awaiting_approval,running,ok,error,interrupted,cancelled,timeout,kernel_died,lost" jsonschema:"of the run"`
	Code        string    `json:"code,omitempty" jsonschema:"its first line"`
	Images      []Image   `json:"images" jsonschema:"its plots, for get_image_resource"`
}

// SearchHistoryOut is what was found, newest first.
type SearchHistoryOut struct {
	Result
	Entries []HistoryEntry `json:"entries" jsonschema:"newest first"`
	More    string         `json:"more,omitempty" jsonschema:"how to find what is not here"`
}

// SearchHistory finds earlier work.
var SearchHistory = tool.Define[SearchHistoryIn, SearchHistoryOut](tool.Spec{
	Name: "search_history", Title: "Search earlier work",
	Description: "Find earlier runs and plots of all sessions, newest first.",
	Category:    tool.Info, Toolset: tool.Jupyter,
	Example: `{"query": "rainfall histogram"}`,
}, func(in *jsonschema.Schema) {
	text(in, "query", 0, maxPath)
	text(in, "session_id", 0, maxID)
	text(in, "since", 0, maxID)
	preset(number(in, "limit", 1, 100), 20)
})
