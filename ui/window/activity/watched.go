package activity

import (
	"encoding/json"
	"hash/fnv"
	"time"

	"easel/mcphost/catalog"
)

// watchedTool is the tool name of an execution that no tool started. It is the message
// by which another client requested it from the kernel.
const watchedTool = "execute_request"

// watchedRun returns an execution by another client as a call for the log.
func watchedRun(x catalog.Execution) catalog.Activity {
	began := x.CreatedAt
	if x.StartedAt != nil {
		began = *x.StartedAt
	}
	c := watchedCall(x.ExecutionID, x.Watched, x.Code, x.Status, x.Error)
	c.Began = began
	if catalog.Ended(x.Status) {
		c.Ended = began.Add(time.Duration(x.ExecutionTimeMS * float64(time.Millisecond)))
	}
	for _, im := range x.Images {
		c.Images = append(c.Images, im.ResourceURI)
	}
	return c
}

func watchedCall(execution, client, code, status string, failure *catalog.ExecutionError) catalog.Activity {
	h := fnv.New64a()
	_, _ = h.Write([]byte(execution))
	c := catalog.Activity{
		ID:        h.Sum64() | 1<<63, // ids of calls count from 1, so this one differs
		Transport: catalog.TransportJupyter, Client: client, Tool: watchedTool, Status: status, ExecutionID: execution,
	}
	c.Args, _ = json.Marshal(map[string]string{"code": code}) // strings can be marshalled
	c.Result, _ = json.Marshal(map[string]string{"execution_id": execution})
	if failure != nil {
		c.Detail = failure.Message
		if failure.Type != "" {
			c.Detail = failure.Type + ": " + failure.Message
		}
	}
	return c
}
