package openapi

import (
	"encoding/json"
	"time"

	"easel/mcphost/catalog"
)

const exampleSession = "5ab00000-0000-4000-8000-000000000000"

var exampleTime = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// ExampleImage is an image as the tools return it.
var ExampleImage = catalog.Image{
	ResourceURI: "jupyter://sessions/" + exampleSession + "/images/01m7z0.png", ImageID: "01m7z0", MIMEType: "image/png",
	Width: 640, Height: 480, Bytes: 18_234, Title: "Damped oscillation", Description: "matplotlib figure",
	Path: "/home/me/.local/share/easel/images/01m7z0.png", SessionID: exampleSession, ExecutionID: "x-17", CreatedAt: exampleTime,
	Tags: []string{},
}

// examples maps the name of a schema in the document to an example value.
var examples = map[string]any{
	"Image": ExampleImage,
	"File":  ExampleFile,
	"Execution": catalog.Execution{
		Result: catalog.OK, ExecutionID: "x-17", SessionID: exampleSession, Status: catalog.StatusOK, Code: "plot()\nprint('done')", ExecutionCount: 3,
		Stdout:  "done\n",
		Outputs: []catalog.Output{{Type: "image", ImageID: ExampleImage.ImageID}, {Type: "stdout", Text: "done\n"}},
		Images:  []catalog.Image{ExampleImage}, CreatedAt: exampleTime, StartedAt: &exampleTime, ExecutionTimeMS: 412,
	},
	"Session":  ExampleSession,
	"View":     ExampleView,
	"Approval": ExampleApproval,
	"SessionCreateResult": catalog.SessionCreateOut{
		Result: catalog.OK, SessionID: exampleSession, KernelID: exampleSession, Status: "idle", CreatedAt: exampleTime,
		KernelName: "python3", AtServer: catalog.AtServer{Server: "managed"},
	},
	"GetVariablesResult": catalog.GetVariablesOut{Result: catalog.OK, Variables: []catalog.Variable{
		{Name: "df", Type: "DataFrame", Size: "1000 rows × 5 cols", MemoryBytes: 40_132},
		{Name: "n", Type: "int", Value: 7},
	}},
	"GetDataFrameInfoResult": catalog.GetDataFrameInfoOut{
		Result: catalog.OK, Name: "df", Type: "pandas.DataFrame", Shape: []int64{2, 1}, Columns: []string{"price"},
		Dtypes: map[string]string{"price": "int64"}, Head: []json.RawMessage{json.RawMessage(`{"price": 3}`), json.RawMessage(`{"price": 5}`)},
		Describe: map[string]map[string]any{"price": {"count": 2, "mean": 4, "min": 3, "max": 5}}, MemoryBytes: 148,
	},
}

// Example values of the objects that events contain.
var (
	ExampleFile    = catalog.File{Image: ExampleImage, Name: ExampleImage.Title}
	ExampleSession = catalog.Session{
		SessionID: exampleSession, KernelID: exampleSession, KernelName: "python3", Status: "idle", CreatedAt: exampleTime,
		LastActivity: exampleTime,
		Server:       "managed", Owner: "easel", Generation: 1, Images: 4,
	}
	ExampleView = catalog.View{
		Folder: "jupyter://sessions/", Kind: "sessions", Mode: "grid", Count: 4, Matching: 4,
		Sort: catalog.ViewSort{By: "created", Order: "desc"}, PropertiesPanel: true, Theme: "system", Window: "shown",
	}
	ExampleApproval = catalog.Approval{
		ApprovalID: "a-1", ExecutionID: "x-18", SessionID: exampleSession, Client: "claude-code 2.0", Code: "delete_all()",
		AskedAt: exampleTime, Deadline: exampleTime.Add(5 * time.Minute),
	}
)
