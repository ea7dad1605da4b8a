package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/openapi"
	"easel/mcphost/tool"
)

// api returns the reference of everything that is not a tool: addresses, authorization,
// events, resources, prompts and toolsets.
func api() (string, error) {
	var b strings.Builder
	b.WriteString(generated + intro)
	if err := addresses(&b); err != nil {
		return "", err
	}
	b.WriteString(authorisation)
	if err := events(&b); err != nil {
		return "", err
	}
	resources(&b)
	prompts(&b)
	toolsetTable(&b)
	b.WriteString(cancelling + executionStatus + notebookPaths + unusedSessions)
	b.WriteString(errorForm)
	return b.String(), nil
}

const intro = `# The API

Easel listens on loopback only, on port 5149 or the next free port. ` + "`easel.json`" + ` in the data directory contains
the address and the token. [tools.md](tools.md) lists the tools, [errors.md](errors.md) the errors. The OpenAPI
document at ` + "`/api/v1/openapi.json`" + ` describes all of it for programs. Swagger UI at ` + "`/api/swagger`" + ` shows it and
works offline.

`

// pages lists the addresses that the OpenAPI document omits: pages for people, MCP, and
// redirects.
var pages = [][3]string{
	{"`POST` `GET` `DELETE /mcp`", "token", "MCP over Streamable HTTP, protocols up to 2025-11-25 and 2026-07-28. `?toolsets=core` offers fewer tools; see Toolsets."},
	{"`GET /`", "", "A page that describes Easel."},
	{"`GET /api/swagger`, `/swagger`", "", "Swagger UI. With `#token=…` in the address, it opens authorised; browsers do not send this part to the server."},
	{"`GET /api/v1/openapi.json`", "", "The OpenAPI 3.0 document. `/api/openapi.json` and `/swagger/v1/swagger.json` redirect to it."},
	{"`GET /figures/{ticket}`", "", "The page of an interactive figure, once, for the browser that the window opens. Only the window gets tickets."},
	{"`GET /problems`, `/problems/{code}`", "", "Pages that explain the error codes. The member `type` of a problem links to them."},
	{"`POST /api/execute/{tool}`", "token", "Runs a tool of category execute; JSON body."},
	{"`GET /api/info/{tool}`", "token", "Runs a tool of category info; parameters in the query. A tool `get_x` is available at `x` and at `get_x`."},
	{"`POST /tools/{tool}/execute`", "token", "Runs any tool; JSON body."},
	{"`GET /resources`", "token", "The same as `/api/resources`."},
}

func addresses(b *strings.Builder) error {
	specs := make([]tool.Spec, 0, len(catalog.All()))
	for _, t := range catalog.All() {
		specs = append(specs, t.Spec())
	}
	raw, err := openapi.Document(specs, "")
	if err != nil {
		return err
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Description string
			Tags        []string
			Security    []any
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return err
	}
	b.WriteString("## Addresses\n\n| address | requires | description |\n|---|---|---|\n")
	for _, p := range pages {
		fmt.Fprintf(b, "| %s | %s | %s |\n", p[0], p[1], cell(p[2]))
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			op := doc.Paths[path][method]
			if !slices.Contains(op.Tags, "resources") { // a tool
				continue
			}
			needs := "token"
			if op.Security != nil && len(op.Security) == 0 {
				needs = ""
			}
			fmt.Fprintf(b, "| `%s %s` | %s | %s |\n", strings.ToUpper(method), path, needs, cell(op.Description))
		}
	}
	return nil
}

const authorisation = `
## Authentication

Send the token as ` + "`Authorization: Bearer …`" + ` or ` + "`X-API-Key: …`" + `. Easel creates it on the first start and stores it in a
file that only you can read. It never appears in a log, an address or a result. A request without it gets 401 with
` + "`WWW-Authenticate`" + `. If you create a new token in the window, the streams of clients with the old one end.

Before Easel checks the token, it refuses with 403 a ` + "`Host`" + ` that is not ` + "`localhost`, `127.0.0.1` or `[::1]`" + ` (with Easel's port or none), and an ` + "`Origin`" + ` that
is not Easel's own (` + "`null`" + ` is refused too). So a foreign web page cannot call Easel, not even through DNS rebinding. There is
no CORS. A POST must be ` + "`application/json`" + ` (415) of at most 8 MiB (413), and its body must arrive within 30 seconds. For a
tool without required parameters, body and content type may be omitted.

` + "```sh" + `
curl -s http://127.0.0.1:5149/api/execute/session_create \
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{}'
` + "```" + `
`

// samples maps the first word of an event's name to an example of the object that the
// event contains.
var samples = map[string]any{
	"image": openapi.ExampleImage,
	"execution": catalog.Execution{
		Result: catalog.OK, ExecutionID: "x-17", SessionID: openapi.ExampleImage.SessionID, Status: catalog.StatusOK, Code: "plot()", ExecutionCount: 3,
		Images: []catalog.Image{}, CreatedAt: openapi.ExampleImage.CreatedAt, StartedAt: &openapi.ExampleImage.CreatedAt, ExecutionTimeMS: 412,
	},
	"session":   openapi.ExampleSession,
	"selection": []catalog.File{openapi.ExampleFile},
	"view":      openapi.ExampleView,
	"approval":  openapi.ExampleApproval,
}

func events(b *strings.Builder) error {
	b.WriteString(`
## Events

` + "`GET /api/events`" + ` is a stream of server-sent events: every change to what the window shows, by an assistant or the user.
` + "`data`" + ` is the object named before the dot, in the form that the tools return. ` + "`id`" + ` increases within one run of Easel; send the last one
that you received as ` + "`Last-Event-ID`" + ` to resume without a gap. If that is not possible, the first event is ` + "`reset`" + `: read the
state again. Without events, there is a comment every 15 seconds.

| event | when | data |
|---|---|---|
`)
	for _, c := range catalog.ChangeKinds {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", c.Name, cell(c.When), cell(c.Object))
	}
	b.WriteString("| `reset` | the events after `Last-Event-ID` are no longer known | nothing |\n\nExamples, one of each object:\n\n```\n")
	told := make(map[string]bool)
	n := 0
	for _, c := range catalog.ChangeKinds {
		object, _, _ := strings.Cut(string(c.Name), ".")
		sample, ok := samples[object]
		if !ok || told[object] {
			continue
		}
		told[object] = true
		n++
		data, err := json.Marshal(sample)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "id: m8x2k1-%d\nevent: %s\ndata: %s\n\n", n, c.Name, data)
	}
	b.WriteString("```\n")
	return nil
}

func resources(b *strings.Builder) {
	b.WriteString(`
## Resources

Available over MCP and REST. ` + "`resources/list`" + ` returns the images, newest first, page by page, then the documents; ` + "`_meta.uriPrefix`" + `
filters it. ` + "`notifications/resources/list_changed`" + ` is sent when an image is added or removed or a figure is updated, and ` + "`…/updated`" + ` for
subscribed resources. In protocol 2026-07-28, both are sent on ` + "`subscriptions/listen`" + `.

A figure that code updates (` + "`update_display`" + `, or ` + "`clear_output`" + ` and display) is one entry in every list: its newest version, with
` + "`versions`" + `, at the position of the first one. Each version has its own ID. An older one can still be read; its result has ` + "`replaced_by`" + `,
the URI of the newest. Stars, tags, title and note belong to the figure: setting them for any version sets them for all.
Deleting and restoring apply to all versions. A figure that is updated while its earlier versions are in the trash becomes a new
entry; restoring them joins the two. Two displays of the same picture in one execution are one image until one of them is updated.

| MCP | REST | description |
|---|---|---|
| ` + "`jupyter://sessions/{session_id}/images/{image_id}.{ext}`" + ` | ` + "`/api/resources/sessions/{session_id}/images/{image_id}.{ext}`" + ` | An image as the kernel sent it, or as Easel drew it. For a figure without a picture, its data (over MCP as text). |
`)
	for _, d := range catalog.Documents {
		fmt.Fprintf(b, "| `easel://%s` | `/api/resources/%s` | %s |\n", d.Name, d.Name, cell(d.What))
	}
}

func prompts(b *strings.Builder) {
	b.WriteString(`
## Prompts

The user chooses a prompt in the client, often as a slash command. Easel fills in what it knows. ` + "`completion/complete`" + ` completes
the arguments marked ⇥ and the parts of an image's URI.

`)
	for _, p := range catalog.Prompts() {
		fmt.Fprintf(b, "### %s\n\n`%s` · toolset `%s`. %s\n\n| argument | | description |\n|---|---|---|\n", p.Title, p.Name, p.Toolset, p.Description)
		for _, a := range p.Arguments {
			marks := ""
			if a.Required {
				marks = "required "
			}
			if a.Of != "" {
				marks += "⇥"
			}
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", a.Name, strings.TrimSpace(marks), cell(a.Description))
		}
		b.WriteString("\n")
	}
}

func toolsetTable(b *strings.Builder) {
	b.WriteString("## Toolsets\n\nThe tool list costs a model tokens in each conversation. `/mcp?toolsets=core` and `easel mcp --toolsets core` offer only the\n" +
		"tools of a toolset and the prompts that go with them; several are separated by commas, for example `core,gallery`. `core`\n" +
		"contains the tools that most work needs and costs less than half of the whole list. If omitted, all tools are offered.\n" +
		"`GET /tools?toolsets=…` narrows that list in the same way.\n\n| toolset | tools |\n|---|---|\n")
	for _, set := range tool.Toolsets {
		var names []string
		for _, t := range catalog.All() {
			if s := t.Spec(); (tool.Selection{set: true}).Has(s) {
				names = append(names, "`"+s.Name+"`")
			}
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", set, strings.Join(names, ", "))
	}
}

// cancelling documents how a client stops code.
const cancelling = `
## Cancelling

A cancelled call stops its code: it is interrupted, or removed from the queue. How a client cancels depends on the protocol:

- Protocols up to 2025-11-25, and ` + "`easel mcp`" + ` in every protocol: the notification ` + "`notifications/cancelled`" + `. It may arrive up to a
  second after the connection of the call was closed.
- Protocol 2026-07-28 over HTTP: the client closes the response stream. A ` + "`notifications/cancelled`" + ` without a closed stream
  does not identify the client there, so Easel accepts it and stops nothing.
- REST: a closed connection stops nothing. Call ` + "`session_interrupt`" + `.

A lost connection does not stop code either: the code continues, and ` + "`get_execution`" + ` returns its result. For example:

- mcp-remote forwards the notification, but keeps the stream open. So in protocol 2026-07-28 (` + "`--protocol auto`" + `) it stops nothing.
- A client that is quit or killed during a call, for example opencode with Ctrl+C, sends no cancellation.

` + "`session_interrupt`" + ` and the Interrupt button in Easel's window always work.
`

const errorForm = `
## Errors

Over REST, an error is ` + "`application/problem+json`" + ` with ` + "`type`, `title`, `status`, `detail`, `code`" + `, optionally ` + "`hint`" + `, and, for invalid
parameters, ` + "`errors`" + `: a JSON pointer and what was expected for each. Over MCP, it is a tool result with ` + "`isError`" + `; its text is JSON with
` + "`success`, `error.code`, `error.message`" + ` and optionally ` + "`error.hint`" + `. Other MCP requests get a JSON-RPC error with ` + "`data.code`" + `.
[errors.md](errors.md) lists the codes.
`
