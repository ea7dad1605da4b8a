package mcphost

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"easel/internal/require"
	"easel/mcphost/mcphttp"
)

// TestLiveConformanceWithFixtures runs MCP's official suite against a host that has the
// tools, prompts and resources of the suite in addition to Easel's. So every scenario
// about the guard, the transport or mcp-go runs.
func TestLiveConformanceWithFixtures(t *testing.T) {
	node := os.Getenv("EASEL_TEST_NODE")
	if node == "" {
		t.Skip("EASEL_TEST_NODE names no directory; make test sets it")
	}
	r := newRig(t)
	addFixtures(r)
	helper, err := filepath.Abs(filepath.Join("..", "e2e", "node", "token.mjs"))
	require.NoError(t, err)
	suite := exec.CommandContext(t.Context(), filepath.Join(node, "bin", "node"), "--import", helper,
		filepath.Join(node, "node_modules", ".bin", "conformance"), "server", "--url", r.URL()+"/mcp",
		"--suite", "all", "--expected-failures", filepath.Join("testdata", "conformance.yml"))
	suite.Env = append(os.Environ(), "EASEL_TEST_TOKEN="+testToken)
	out, err := suite.CombinedOutput()
	if err != nil {
		t.Errorf("the suite: %v\n%s", err, out)
	}
	if n := strings.Count(string(out), "\n✓ "); n < 28 {
		t.Errorf("%d scenarios passed, want 28 or more:\n%s", n, out)
	}
}

// dot is the smallest PNG, a red pixel. beep is the smallest WAV, which is silent.
const (
	dot  = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	beep = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
)

// addFixtures adds the tools, prompts and resources of the suite.
func addFixtures(r *rig) {
	s := r.mcpServer
	server.WithLogging()(s) // Easel itself sends no log messages
	server.WithPromptCompletionProvider(&server.DefaultPromptCompletionProvider{})(s)
	tool := func(t mcp.Tool, do func(context.Context, mcp.CallToolRequest) []mcp.Content) {
		t.Description = "A fixture of the conformance suite."
		r.order[t.Name] = 0 // its toolset is that of the first tool
		s.AddTool(t, func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: do(ctx, req), IsError: t.Name == "test_error_handling"}, nil
		})
	}
	word := mcp.NewTextContent("a text")
	picture := mcp.NewImageContent(dot, "image/png")
	inside := mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "inside"})
	for name, content := range map[string][]mcp.Content{
		"test_simple_text":            {word},
		"test_error_handling":         {mcp.NewTextContent("it failed, as it should")},
		"test_image_content":          {picture},
		"test_audio_content":          {mcp.NewAudioContent(beep, "audio/wav")},
		"test_embedded_resource":      {inside},
		"test_multiple_content_types": {word, picture, inside},
	} {
		tool(mcp.NewTool(name), func(context.Context, mcp.CallToolRequest) []mcp.Content { return content })
	}
	tool(mcp.NewTool("test_tool_with_logging"), func(ctx context.Context, _ mcp.CallToolRequest) []mcp.Content {
		for _, line := range []string{"started", "at work", "done"} {
			_ = s.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "fixture", line))
		}
		return []mcp.Content{word}
	})
	tool(mcp.NewTool("test_tool_with_progress"), func(ctx context.Context, req mcp.CallToolRequest) []mcp.Content {
		for done := range 3 {
			mcphttp.CallFrom(ctx).Notify("notifications/progress", map[string]any{
				"progressToken": req.Params.Meta.ProgressToken, "progress": done * 50, "total": 100,
			})
		}
		return []mcp.Content{word}
	})
	tool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "", json.RawMessage(`{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
		"$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}}
	}`)), func(context.Context, mcp.CallToolRequest) []mcp.Content { return []mcp.Content{word} })
	addFixtureResources(s)
	addFixturePrompts(s)
}

func addFixtureResources(s *server.MCPServer) {
	give := func(c func(uri string) mcp.ResourceContents) func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return func(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{c(req.Params.URI)}, nil
		}
	}
	text := func(uri string) mcp.ResourceContents {
		return mcp.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: "the text of " + uri}
	}
	s.AddResource(mcp.NewResource("test://static-text", "text"), give(text))
	s.AddResource(mcp.NewResource("test://watched-resource", "watched"), give(text))
	s.AddResource(mcp.NewResource("test://static-binary", "binary"), give(func(uri string) mcp.ResourceContents {
		return mcp.BlobResourceContents{URI: uri, MIMEType: "image/png", Blob: dot}
	}))
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template"), give(text))
}

func addFixturePrompts(s *server.MCPServer) {
	add := func(p mcp.Prompt, say func(args map[string]string) []mcp.Content) {
		p.Description = "A fixture of the conformance suite."
		s.AddPrompt(p, func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			res := &mcp.GetPromptResult{}
			for _, c := range say(req.Params.Arguments) {
				res.Messages = append(res.Messages, mcp.NewPromptMessage(mcp.RoleUser, c))
			}
			return res, nil
		})
	}
	add(mcp.NewPrompt("test_simple_prompt"), func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewTextContent("a prompt")}
	})
	add(mcp.NewPrompt("test_prompt_with_arguments", mcp.WithArgument("arg1"), mcp.WithArgument("arg2")), func(args map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewTextContent(args["arg1"] + " and " + args["arg2"])}
	})
	add(mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithArgument("resourceUri")), func(args map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: args["resourceUri"], MIMEType: "text/plain", Text: "inside"})}
	})
	add(mcp.NewPrompt("test_prompt_with_image"), func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewImageContent(dot, "image/png")}
	})
}
