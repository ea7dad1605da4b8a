// Command gosdk is a client with the official Go SDK. Each line of standard input is a call,
// {"tool", "arguments"}, or {"cancel"}, which cancels the previous call.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An order is a line of standard input.
type order struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Cancel    bool           `json:"cancel"`
}

// An answer is the result of a call.
type answer struct {
	Text     string   `json:"text"`
	Pictures [][]byte `json:"pictures"`
}

// tokenTransport is a RoundTripper that adds the token to each request.
type tokenTransport struct{}

func (tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+os.Getenv("EASEL_MCP_TOKEN"))
	return http.DefaultTransport.RoundTrip(r)
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "go-client", Version: "0"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   os.Getenv("EASEL_MCP"),
		HTTPClient: &http.Client{Transport: tokenTransport{}},
	}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(list.Tools))
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(map[string]any{"tools": names, "instructions": session.InitializeResult().Instructions}); err != nil {
		return err
	}
	return serve(ctx, session, out)
}

// serve makes the calls on standard input until it ends. One call runs at a time. It can be
// cancelled while it runs.
func serve(ctx context.Context, session *mcp.ClientSession, out *json.Encoder) error {
	var calls sync.WaitGroup
	defer calls.Wait()
	cancel := func() {}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var o order
		if err := json.Unmarshal(in.Bytes(), &o); err != nil {
			return err
		}
		if o.Cancel {
			cancel()
			continue
		}
		callCtx, stop := context.WithCancel(ctx)
		cancel = stop
		calls.Go(func() {
			defer stop()
			_ = out.Encode(call(callCtx, session, o))
		})
	}
	cancel()
	return nil
}

func call(ctx context.Context, session *mcp.ClientSession, o order) answer {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: o.Tool, Arguments: o.Arguments})
	if err != nil {
		return answer{Text: err.Error()}
	}
	var a answer
	var texts []string
	for _, c := range result.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
		case *mcp.ImageContent:
			a.Pictures = append(a.Pictures, c.Data)
		}
	}
	a.Text = strings.Join(texts, "\n")
	return a
}
