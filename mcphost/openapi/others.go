package openapi

import (
	"maps"
	"strconv"
	"strings"
)

// others are the addresses that are no tools.
func others(info Info, shared *shared) object {
	image := object{"type": "object"}
	if s, err := Schema(info.Image); err == nil && info.Image != nil {
		image = s
	}
	listed := object{
		"uri":      object{"type": "string", "description": "jupyter:// URI, the same as resource_uri"},
		"name":     object{"type": "string", "description": "matplotlib output [n], n counting within the session"},
		"mimeType": object{"type": "string"},
		"size":     object{"type": "integer", "description": "bytes"},
		"href":     object{"type": "string", "description": "path of its bytes"},
	}
	if props, ok := image["properties"].(object); ok {
		maps.Copy(listed, props)
	}
	list := read("list_images", "List all images", "Every image of the library, newest first, page by page.", object{
		"type": "object", "required": []string{"success", "resources"},
		"properties": object{
			"success":     object{"type": "boolean"},
			"resources":   object{"type": "array", "items": shared.refer("ListedImage", object{"type": "object", "properties": listed, "required": []string{"uri", "name", "mimeType", "size"}})},
			"next_cursor": object{"type": "string", "description": "give it as cursor to have the next page; absent on the last"},
		},
	}, "400", "499", "503", "504", "507")
	list["parameters"] = []object{
		query("uri_prefix", "only images whose URI begins with this, as jupyter://sessions/5ab0…/", object{"type": "string", "maxLength": MaxPrefix}),
		query("cursor", "next_cursor of an earlier answer", object{"type": "string", "maxLength": MaxPrefix}),
		query("limit", "images on a page", object{"type": "integer", "minimum": 1, "maximum": MaxPage}),
	}
	again := maps.Clone(list)
	again["operationId"] = "list_images_short"

	paths := object{
		"/api/resources": object{"get": list},
		"/resources":     object{"get": again},
		"/api/resources/sessions/{session_id}/images/{image}": object{"get": imageBytes()},
		"/api/health": object{"get": public(read("health", "Health", "Version and readiness. Answers as soon as Easel listens; needs no token.", healthSchema))},
		"/api/events": object{"get": events(info.Events)},
		"/tools":      object{"get": listTools()},
		"/api/window/show": object{"post": withBody(read("show_window", "Show the window",
			"Bring Easel's window to the front, as a second start of Easel does. An Easel without a window opens it on the display that env names (DISPLAY, XAUTHORITY and so on).", successSchema, "400", "409", "413", "415", "503", "504"))},
	}
	for name, what := range map[string]string{
		"settings": "Easel's settings, without secrets.",
		"history":  "Executions so far, newest first.",
		"state":    "What the window shows now.",
	} {
		paths["/api/resources/"+name] = object{"get": read("read_"+name, "Read "+name, what, object{"type": "object"}, "499", "503", "504")}
	}
	return paths
}

var (
	successSchema = object{"type": "object", "required": []string{"success"}, "properties": object{"success": object{"type": "boolean"}}}
	healthSchema  = object{
		"type": "object", "required": []string{"status", "name", "version", "ready", "window", "servers"},
		"properties": object{
			"status":  object{"type": "string", "enum": []string{"ok"}},
			"name":    object{"type": "string", "enum": []string{"easel"}},
			"version": object{"type": "string"},
			"ready":   object{"type": "boolean", "description": "a Jupyter server is ready: session_create works"},
			"window":  object{"type": "string", "description": "shown, hidden, starting or none"},
			"servers": object{"type": "array", "items": object{
				"type": "object", "required": []string{"name", "state"},
				"properties": object{
					"name": object{"type": "string"}, "url": object{"type": "string"}, "managed": object{"type": "boolean"},
					"state":   object{"type": "string", "description": "installing, starting, ready, unreachable, unauthorized, failed, stopped"},
					"message": object{"type": "string"},
				},
			}},
		},
	}
)

// read is an operation that answers JSON; besides 401, 403 and 500 it may fail
// with the statuses given.
func read(id, summary, description string, schema object, statuses ...string) object {
	responses := object{"200": object{
		"description": "the answer",
		"content":     object{"application/json": object{"schema": schema}},
	}}
	for _, s := range append(statuses, "401", "403", "500") {
		responses[s] = object{"$ref": "#/components/responses/Problem" + s}
	}
	return object{
		"operationId": id, "summary": summary, "description": description,
		"tags": []string{"resources"}, "responses": responses,
	}
}

// public marks an operation that needs no token.
func public(op object) object {
	op["security"] = []object{}
	if rs, ok := op["responses"].(object); ok {
		delete(rs, "401")
	}
	return op
}

func withBody(op object) object {
	op["requestBody"] = object{"content": object{"application/json": object{"schema": object{"type": "object"}, "example": object{}}}}
	return op
}

func query(name, description string, schema object) object {
	return object{"name": name, "in": "query", "description": description, "schema": schema}
}

func imageBytes() object {
	op := read("image_bytes", "An image's bytes", "The image as the kernel sent it; of an interactive figure that has no picture, its data. The part of its resource_uri after jupyter:// is the part of this path after /api/resources/.", nil, "400", "404", "499", "503", "504")
	op["parameters"] = []object{
		{"name": "session_id", "in": "path", "required": true, "schema": object{"type": "string"}, "description": "session of the image", "example": "5ab0…"},
		{"name": "image", "in": "path", "required": true, "schema": object{"type": "string"}, "description": "id of the image with its extension", "example": "0f3c….png"},
	}
	bytes := object{"schema": object{"type": "string", "format": "binary"}}
	content := object{"image/png": bytes, "image/jpeg": bytes, "image/svg+xml": bytes, "image/gif": bytes, "image/webp": bytes, "application/*": bytes, "text/*": bytes}
	headers := object{"ETag": object{"schema": object{"type": "string"}, "description": "for If-None-Match"}}
	if rs, ok := op["responses"].(object); ok {
		rs["200"] = object{"description": "the bytes", "headers": headers, "content": content}
		rs["206"] = object{"description": "a part of them, by Range", "headers": headers, "content": content}
		rs["304"] = object{"description": "not changed (If-None-Match)"}
		rs["416"] = object{"description": "no such range"}
	}
	return op
}

func events(names []string) object {
	op := read("events", "Follow what happens",
		"Server-sent events. event is one of "+strings.Join(names, ", ")+"; data is the object named before the dot, as the tools give it. id grows; send the last one as Last-Event-ID to go on without a gap. event reset means that something is lost: read the state again.",
		nil, "400", "503")
	op["parameters"] = []object{{
		"name": "Last-Event-ID", "in": "header", "schema": object{"type": "string", "maxLength": 100},
		"description": "id of the last event that was seen",
	}}
	if rs, ok := op["responses"].(object); ok {
		rs["200"] = object{
			"description": "an endless stream",
			"content": object{"text/event-stream": object{
				"schema":  object{"type": "string"},
				"example": "id: m8x2k1-" + strconv.Itoa(17) + "\nevent: image.added\ndata: {\"resource_uri\": \"jupyter://…\"}\n\n",
			}},
		}
	}
	return op
}

func listTools() object {
	op := read("list_tools", "List the tools", "Every tool with its address, its schemas and an example.", object{
		"type": "object", "required": []string{"success", "tools"},
		"properties": object{
			"success": object{"type": "boolean"},
			"tools": object{"type": "array", "items": object{
				"type": "object", "required": []string{"name", "description", "category", "method", "path", "input_schema", "output_schema"},
				"properties": object{
					"name": object{"type": "string"}, "title": object{"type": "string"}, "description": object{"type": "string"},
					"category":  object{"type": "string", "enum": []string{"execute", "info"}},
					"toolset":   object{"type": "string", "enum": []string{"jupyter", "notebook", "gallery"}},
					"read_only": object{"type": "boolean"}, "destructive": object{"type": "boolean"}, "idempotent": object{"type": "boolean"},
					"method": object{"type": "string"}, "path": object{"type": "string"},
					"input_schema": object{"type": "object"}, "output_schema": object{"type": "object"}, "example": object{"type": "object"},
				},
			}},
		},
	}, "400")
	op["parameters"] = []object{query("toolsets", "only these, for example jupyter,gallery", object{"type": "string", "pattern": "^((core|jupyter|notebook|gallery)(,(core|jupyter|notebook|gallery))*)?$"})}
	return op
}
