package mcphost

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"easel/mcphost/catalog"
	"easel/mcphost/openapi"
	"easel/mcphost/tool"
)

// Timeouts.
const (
	healthTimeout = 2 * time.Second
	readTimeout   = time.Minute
)

// listImages lists the images, newest first.
func (h *Host) listImages(c echo.Context) error {
	q := c.QueryParams()
	in := catalog.ListImagesIn{URIPrefix: q.Get("uri_prefix"), Cursor: q.Get("cursor")}
	for name := range q {
		if name != "uri_prefix" && name != "cursor" && name != "limit" {
			return badParameter(name, "is not a parameter here; there are: cursor, limit, uri_prefix")
		}
	}
	if len(in.URIPrefix) > openapi.MaxPrefix || len(in.Cursor) > openapi.MaxPrefix {
		return badParameter("uri_prefix", "or cursor is longer than "+strconv.Itoa(openapi.MaxPrefix)+" bytes")
	}
	if q.Has("limit") {
		n, err := strconv.Atoi(q.Get("limit"))
		if err != nil || n < 1 || n > openapi.MaxPage {
			return badParameter("limit", "must be an integer from 1 to "+strconv.Itoa(openapi.MaxPage))
		}
		in.Limit = n
	}
	ctx, cancel := h.untilQuit(restCaller(c.Request().Context(), c.Request()), readTimeout)
	defer cancel()
	page, err := catalog.ListImages.Ask(ctx, h.c.Bus, in)
	if err != nil {
		return err
	}
	out := openapi.ImagePage{Success: true, Resources: make([]openapi.ListedImage, len(page.Images)), NextCursor: page.NextCursor}
	for i, im := range page.Images {
		if im.Tags == nil {
			im.Tags = []string{}
		}
		out.Resources[i] = openapi.ListedImage{
			URI: im.ResourceURI, Name: im.Name, MIMEType: im.MIMEType, Size: im.Bytes, Href: hrefOf(im.ResourceURI), Image: im.Image,
		}
	}
	return c.JSON(http.StatusOK, out)
}

func badParameter(name, what string) error {
	return &tool.Error{
		Code: tool.Validation, Detail: "Invalid parameters: " + cut(name, 100) + " " + what + ".",
		Fields: []tool.Field{{Pointer: "#/" + cut(name, 100), Detail: what}},
	}
}

const imageScheme = "jupyter://"

// hrefOf returns the path of an image's bytes.
func hrefOf(uri string) string {
	return "/api/resources/" + strings.TrimPrefix(uri, imageScheme)
}

// imageBytes serves an image as the kernel sent it.
func (h *Host) imageBytes(c echo.Context) error {
	session, image := c.Param("session"), c.Param("image")
	if strings.Contains(session, "/") || strings.Contains(image, "/") {
		return tool.Errorf(tool.ImageNotFound, "no image has this address")
	}
	uri := imageScheme + "sessions/" + session + "/images/" + image
	ctx, cancel := h.untilQuit(restCaller(c.Request().Context(), c.Request()), readTimeout)
	defer cancel()
	out, err := catalog.ReadImage.Ask(ctx, h.c.Bus, catalog.ReadImageIn{URI: uri})
	if err != nil {
		return err
	}
	head := c.Response().Header()
	if data, hidden := h.discreet(ctx, out.MIMEType, out.Data); hidden {
		out.Data, out.ETag, out.Image.CreatedAt = data, "", time.Time{} // what is hidden may change, so nobody has it already
	}
	kind := out.MIMEType
	if strings.HasPrefix(kind, "text/") {
		kind += "; charset=utf-8"
	}
	head.Set("Content-Type", kind)
	if out.ETag != "" {
		head.Set("ETag", `"`+out.ETag+`"`)
	}
	head.Set("Cache-Control", "private, no-cache") // cache it, but revalidate with the ETag
	head.Set("Content-Disposition", "inline")
	// An SVG, and the page of an interactive figure, may contain scripts. In a browser
	// they must not have our origin.
	head.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:")
	http.ServeContent(c.Response(), c.Request(), "", out.Image.CreatedAt, bytes.NewReader(out.Data))
	if c.Response().Status == http.StatusOK { // otherwise the client has it already, or got a part of the file
		h.reads(ctx, uri).hasRead(ctx, uri, out.MIMEType, out.Data, nil)
	}
	return nil
}

// plotData serves the values of a plot as CSV.
func (h *Host) plotData(c echo.Context) error {
	ctx, cancel := h.untilQuit(restCaller(c.Request().Context(), c.Request()), readTimeout)
	defer cancel()
	image, _, _ := strings.Cut(c.Param("image"), ".")
	out, err := catalog.ReadPlotData.Ask(ctx, h.c.Bus, image)
	if err != nil {
		return err
	}
	if out.Image.SessionID != c.Param("session") {
		return tool.Errorf(tool.ImageNotFound, "no image has this address")
	}
	head := c.Response().Header()
	head.Set("Cache-Control", "private, no-cache")
	head.Set("Content-Disposition", `attachment; filename="`+out.Image.ImageID+`.csv"`)
	if out.Sample {
		head.Set("Easel-Sample", "true")
	}
	uri := imageScheme + "sessions/" + out.Image.SessionID + "/images/" + image + catalog.PlotDataSuffix
	h.reads(ctx, uri).hasRead(ctx, uri, csvType, out.CSV, nil)
	return c.Blob(http.StatusOK, csvType+"; charset=utf-8", out.CSV)
}

// readDocument serves settings, history or state.
func (h *Host) readDocument(c echo.Context) error {
	name := catalog.Document(c.Param("document"))
	for _, d := range catalog.Documents {
		if d.Name != name {
			continue
		}
		ctx, cancel := h.untilQuit(restCaller(c.Request().Context(), c.Request()), readTimeout)
		defer cancel()
		raw, err := catalog.ReadDocument.Ask(ctx, h.c.Bus, name)
		if err != nil {
			return err
		}
		return c.JSONBlob(http.StatusOK, raw)
	}
	return echo.ErrNotFound
}

// health reports readiness. It answers 200 as soon as the host listens. Only a request with
// the token gets the servers, because their names, addresses and messages are the user's.
func (h *Host) health(c echo.Context) error {
	out := openapi.Health{Status: "ok", Name: "easel", Version: h.c.Version, Window: "starting"}
	known := h.guard.tokens.allow(c.Request().Header)
	if known {
		out.Servers = []catalog.ServerHealth{}
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), healthTimeout)
	defer cancel()
	got, err := catalog.Health.Ask(ctx, h.c.Bus, struct{}{})
	if err == nil {
		out.Window = got.Window
		for _, s := range got.Servers {
			if known {
				out.Servers = append(out.Servers, s)
			}
			out.Ready = out.Ready || s.State == "ready"
		}
	}
	return c.JSON(http.StatusOK, out)
}
