package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"easel/eventbus"
	"easel/mcphost/tool"
)

// An Activity is a call of a tool that has begun or ended, for the log of calls.
type Activity struct {
	ID        uint64 // increases; the same at the begin and the end of a call
	Began     time.Time
	Ended     time.Time // zero while the call is running
	Transport string
	Client    string // name and version
	Assistant string `json:",omitzero"` // by whose token; see tool.Caller
	Name      string `json:",omitzero"` // of the client, without version
	Version   string `json:",omitzero"`
	Tool      string
	// ExecutionID is the execution that the call started. It is empty in the first
	// notification of a call, and always if the call starts none.
	ExecutionID string          `json:",omitzero"`
	SessionID   string          `json:",omitzero"` // of the session that the result names
	Args        json.RawMessage // as sent, at most 64 KiB
	Status      string          // running, ok, failed, or an error code
	Detail      string          // the error's detail
	Result      json.RawMessage // structured result, at most 64 KiB
	Images      []string        // URIs
	Sent        []SentImage     `json:",omitempty"` // how they reached the client
	TextBytes   int64           `json:",omitzero"`  // length of the text that the client got
	LeftOut     int64           `json:",omitzero"`  // how many bytes of text were left out of it
	Masked      map[string]int  `json:",omitzero"`  // how often which secrets were hidden in the result, by their names
	// KernelReplaced is set if the result said that the session's kernel was restarted or died since the client's last call.
	KernelReplaced *KernelReplaced `json:",omitempty"`
}

// Activities carries every call that the host serves: when it begins, when it has
// started an execution, and when it ends.
var Activities = eventbus.NewEvent[Activity]("activities")

// The ways in which a result brings an image to a client, from the most to the least that its
// model can see.
const (
	SentInline = "inline" // as a picture
	SentPart   = "part"   // a part of it, or a comparison with it, as a picture
	SentLink   = "link"   // as an address that the client can read
	SentText   = "text"   // its name and description
)

// SentHow lists the ways in this order.
var SentHow = []string{SentInline, SentPart, SentLink, SentText}

// A SentImage says how a result brought an image to a client. Width, height and bytes are those of
// the picture that was sent.
type SentImage struct {
	ImageID string `json:"image_id"`
	How     string `json:"how"`
	Width   int    `json:"width,omitempty"`
	Height  int    `json:"height,omitempty"`
	Bytes   int    `json:"bytes,omitempty"`
}

// ImageIDOf returns the id in the URI of an image, of a part of it, or of its values; "" for other addresses.
func ImageIDOf(uri string) string {
	uri, _, _ = CutCrop(uri)
	rest, ok := strings.CutPrefix(uri, "jupyter://sessions/")
	if !ok {
		return ""
	}
	_, file, _ := strings.Cut(rest, "/images/")
	if end := strings.IndexAny(file, "./"); end > 0 {
		return file[:end]
	}
	return ""
}

// NamedImages returns the links of the images that a result of a tool names, also if it has no links
// to them.
func NamedImages(out any) []tool.Link {
	switch o := out.(type) {
	case Execution:
		return named(links(o.Images))
	case CellChanged:
		if o.Execution == nil {
			return nil
		}
		return named(links(o.Drawn()))
	case NotebookReadOut:
		var images []Image
		for _, c := range o.Cells {
			for _, x := range c.Outputs {
				for _, f := range x.Data {
					if f.Plot != nil {
						images = append(images, *f.Plot)
					}
				}
			}
		}
		return links(images)
	case GetSelectedFilesOut:
		return named(o.Links())
	}
	if l, ok := out.(tool.Linker); ok {
		return l.Links()
	}
	return nil
}

// named returns the links that a list without pages has.
func named(all []tool.Link) []tool.Link { return slices.Clip(all[:min(len(all), MostListed)]) }

// Previewed returns the id of the image that the picture of a tool.Inliner shows, and how.
func Previewed(out any) (id, how string) {
	switch o := out.(type) {
	case GetImageResourceOut:
		if o.Region != nil {
			return o.ImageID, SentPart
		}
	case RenderImageOut:
		return o.Of, SentInline
	case CheckReproducibilityOut:
		return o.Of, SentPart
	}
	return "", ""
}

// LeftOut returns how many bytes of text a result of a tool leaves out, as far as that is known.
func LeftOut(out any) (n int64) {
	switch o := out.(type) {
	case Execution:
		for _, t := range o.Truncated {
			n += t.Left
		}
	case CellChanged:
		if o.Execution != nil {
			return LeftOut(*o.Execution)
		}
	case FileReadOut:
		if o.Truncated && o.Text != nil {
			return max(0, o.Size-int64(len(*o.Text)))
		}
	case NotebookReadOut:
		for _, c := range o.Cells {
			if c.Cut != nil {
				n += int64(max(0, c.Cut.SourceBytes-len(c.Source)))
			}
			for _, x := range c.Outputs {
				n += int64(max(0, x.TotalBytes-len(x.Text)))
			}
		}
	}
	return n
}
