package mcphost

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"easel/mcphost/apps"
	"easel/mcphost/catalog"
	"easel/mcphost/mcphttp"
	"easel/mcphost/tool"
)

const (
	documentScheme = "easel://"
	imageTemplate  = imageScheme + "sessions/{session_id}/images/{image_id}.{ext}"
	dataTemplate   = imageScheme + "sessions/{session_id}/images/{image_id}" + catalog.PlotDataSuffix
)

// addResources serves the images and the documents as MCP resources. The host implements
// the list itself, because mcp-go sorts and pages by name, and names of images are not
// unique.
func (h *Host) addResources(s *server.MCPServer, hooks *server.Hooks) {
	s.AddResourceTemplate(mcp.NewResourceTemplate(imageTemplate, "image",
		mcp.WithTemplateTitle("An image that a kernel displayed"),
		mcp.WithTemplateDescription("resource_uri of an image, from execute_code, list_session_images or resources/list."),
	), h.readImage)
	s.AddResourceTemplate(mcp.NewResourceTemplate(dataTemplate, "values of a plot",
		mcp.WithTemplateTitle("The values that a plot shows"),
		mcp.WithTemplateDescription("The plotted values of each series as CSV, not rounded, with the names that axes and legend give them. image_id as in the plot's URI."),
		mcp.WithTemplateMIMEType("text/csv"),
	), h.readPlotData)
	for _, d := range catalog.Documents {
		s.AddResource(documentResource(d.Name, d.Title, d.What), h.readDocumentResource(d.Name))
	}
	// not listed: clients find it in the list of tools
	s.AddResource(apps.Viewer(), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return apps.Contents(), nil
	})
	hooks.AddAfterListResources(h.listResources)
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, message any, err error) {
		if req, ok := message.(*mcp.ReadResourceRequest); ok && method == mcp.MethodResourcesRead {
			notRead(ctx, req.Params.URI, err)
		}
	})
}

func documentResource(name catalog.Document, title, what string) mcp.Resource {
	return mcp.NewResource(documentScheme+string(name), string(name),
		mcp.WithResourceTitle(title), mcp.WithResourceDescription(what), mcp.WithMIMEType("application/json"))
}

// listResources replaces mcp-go's page by the host's: the images, newest first, followed
// by the documents.
func (h *Host) listResources(ctx context.Context, _ any, req *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
	call := mcphttp.CallFrom(ctx)
	ctx, cancel := h.untilQuit(tool.WithCaller(ctx, mcpCaller(ctx, nil)), readTimeout)
	defer cancel()
	prefix := ""
	if m := req.Params.Meta; m != nil {
		prefix, _ = m.AdditionalFields["uriPrefix"].(string)
	}
	res.Resources, res.NextCursor = []mcp.Resource{}, ""
	if !strings.HasPrefix(prefix, documentScheme) {
		// mcp-go requires a cursor in base64 and rejects others before it calls this
		// hook.
		cursor, err := base64.StdEncoding.DecodeString(string(req.Params.Cursor))
		if err != nil {
			cursor = []byte(req.Params.Cursor)
		}
		page, err := catalog.ListImages.Ask(ctx, h.c.Bus, catalog.ListImagesIn{URIPrefix: prefix, Cursor: string(cursor)})
		if err != nil {
			if e := tool.AsError(err); call != nil {
				call.Fail(rpcCode(e), e.Detail, map[string]any{"code": e.Code})
			}
			return
		}
		for _, im := range page.Images {
			res.Resources = append(res.Resources, imageResource(im))
		}
		if page.NextCursor != "" {
			res.NextCursor = mcp.Cursor(base64.StdEncoding.EncodeToString([]byte(page.NextCursor)))
			return
		}
	}
	for _, d := range catalog.Documents {
		if strings.HasPrefix(documentScheme+string(d.Name), prefix) {
			res.Resources = append(res.Resources, documentResource(d.Name, d.Title, d.What))
		}
	}
}

func imageResource(im catalog.ListedImage) mcp.Resource {
	return mcp.NewResource(im.ResourceURI, im.Name,
		mcp.WithResourceTitle(im.Title), mcp.WithResourceDescription(im.Description),
		mcp.WithMIMEType(im.MIMEType), mcp.WithResourceSize(im.Bytes))
}

func rpcCode(e *tool.Error) int {
	if e.Code == tool.Validation {
		return mcp.INVALID_PARAMS
	}
	return mcp.INTERNAL_ERROR
}

// readImage serves resources/read of an image. It returns the bytes as the kernel sent
// them, or, for a figure without a picture, its data as text. The answer is plain JSON,
// never an event, because clients reject large events.
func (h *Host) readImage(ctx context.Context, req mcp.ReadResourceRequest) (_ []mcp.ResourceContents, err error) {
	uri := req.Params.URI
	ctx, cancel := h.untilQuit(tool.WithCaller(ctx, mcpCaller(ctx, nil)), readTimeout)
	defer cancel()
	rec := h.reads(ctx, uri)
	got := catalog.ReadImageOut{}
	defer func() { rec.hasRead(ctx, uri, got.MIMEType, got.Data, err) }()
	if got, err = catalog.ReadImage.Ask(ctx, h.c.Bus, catalog.ReadImageIn{URI: uri}); err != nil {
		return nil, err
	}
	got.Data, _ = h.discreet(ctx, got.MIMEType, got.Data)
	if got.Image.Interactive != "" && utf8.Valid(got.Data) {
		return figureText(uri, got)
	}
	return []mcp.ResourceContents{mcp.BlobResourceContents{
		URI: uri, MIMEType: got.MIMEType, Blob: base64.StdEncoding.EncodeToString(got.Data),
	}}, nil
}

// reads records the start of reading a resource.
func (h *Host) reads(ctx context.Context, uri string) *record {
	args, _ := json.Marshal(map[string]string{"uri": uri}) // strings can always be encoded
	return h.begin(ctx, "resources/read", args)
}

// hasRead records the end of reading a resource, with what was read or with err.
func (r *record) hasRead(ctx context.Context, uri, mimeType string, data []byte, err error) {
	if err != nil {
		r.end(ctx, nil, nil, tool.AsError(err))
		return
	}
	if catalog.ImageIDOf(uri) != "" && mimeType != csvType {
		r.a.Images = []string{uri}
	}
	r.delivered(ctx, resource(uri, mimeType, data))
	r.end(ctx, nil, nil, nil)
}

// readPlotData serves resources/read of the values of a plot.
func (h *Host) readPlotData(ctx context.Context, req mcp.ReadResourceRequest) (_ []mcp.ResourceContents, err error) {
	uri := req.Params.URI
	ctx, cancel := h.untilQuit(tool.WithCaller(ctx, mcpCaller(ctx, nil)), readTimeout)
	defer cancel()
	rec := h.reads(ctx, uri)
	got := catalog.ReadPlotDataOut{}
	defer func() { rec.hasRead(ctx, uri, csvType, got.CSV, err) }()
	if got, err = catalog.ReadPlotData.Ask(ctx, h.c.Bus, uri); err != nil {
		return nil, err
	}
	if quotedLen(got.CSV) > maxResult {
		return nil, &tool.Error{
			Code: tool.PayloadTooLarge,
			Detail: fmt.Sprintf("The values of this plot are %d kB; MCP clients take at most %d kB. GET %s returns them.",
				len(got.CSV)/1000, maxResult/1000, hrefOf(uri)),
		}
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: csvType, Text: string(got.CSV)}}, nil
}

const csvType = "text/csv"

// figureText returns a figure's data as text, which a model can read. Data that is too
// large for a result is an error, because a part of it would be invalid.
func figureText(uri string, got catalog.ReadImageOut) ([]mcp.ResourceContents, error) {
	if quotedLen(got.Data) > maxResult {
		return nil, &tool.Error{
			Code:   tool.PayloadTooLarge,
			Detail: fmt.Sprintf("The data of this figure is %d kB; MCP clients take at most %d kB. It is on disk: %s", len(got.Data)/1000, maxResult/1000, got.Image.Path),
		}
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: got.MIMEType, Text: string(got.Data)}}, nil
}

func (h *Host) readDocumentResource(name catalog.Document) server.ResourceHandlerFunc {
	return func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		ctx, cancel := h.untilQuit(tool.WithCaller(ctx, mcpCaller(ctx, nil)), readTimeout)
		defer cancel()
		raw, err := catalog.ReadDocument.Ask(ctx, h.c.Bus, name)
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: string(raw)}}, nil
	}
}

// notRead makes the answer to a failed resources/read the error that the protocol's era
// requires, with the URI in data.
func notRead(ctx context.Context, uri string, err error) {
	call := mcphttp.CallFrom(ctx)
	if _, invalid := errors.AsType[*server.UnparsableMessageError](err); call == nil || invalid { // mcp-go says so
		return
	}
	e := tool.AsError(err)
	data := map[string]any{"uri": uri}
	code := mcp.INTERNAL_ERROR
	message := e.Detail
	if errors.Is(err, server.ErrResourceNotFound) || e.Code.Info().Status == 404 {
		code = mcp.RESOURCE_NOT_FOUND
		if call.Modern() {
			code = mcp.INVALID_PARAMS
		}
		message = "no resource has the URI " + cut(uri, 200)
	} else {
		maps.Copy(data, map[string]any{"code": e.Code})
	}
	call.Fail(code, message, data)
}
