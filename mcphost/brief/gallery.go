package brief

import (
	"slices"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

// A viewForm is the form of a view for models: what they can act on.
type viewForm struct {
	Folder          string               `json:"folder"`
	Mode            string               `json:"mode,omitempty"`
	Current         string               `json:"current,omitempty"`
	Count           int                  `json:"count"`
	Matching        int                  `json:"matching"`
	Counting        bool                 `json:"counting,omitempty"`
	Sort            string               `json:"sort,omitempty"`
	Filters         *catalog.ViewFilters `json:"filters,omitempty"`
	Fullscreen      bool                 `json:"fullscreen,omitempty"`
	PropertiesPanel bool                 `json:"properties_panel,omitempty"`
	Theme           string               `json:"theme,omitempty"`
	Window          string               `json:"window,omitempty"`
}

// view returns the view without default values.
func view(v catalog.View) viewForm {
	b := viewForm{
		Folder: v.Folder, Mode: v.Mode, Current: v.Current, Count: v.Count, Matching: v.Matching, Counting: v.Counting,
		Fullscreen: v.Fullscreen, PropertiesPanel: v.PropertiesPanel, Theme: v.Theme, Window: v.Window,
	}
	if f := v.Filters; f.Rating != nil || f.Tags != nil || f.Text != "" || f.Findings {
		b.Filters = &f
	}
	if v.Sort != (catalog.ViewSort{By: "created", Order: "desc"}) {
		b.Sort = v.Sort.By + " " + v.Sort.Order
	}
	if b.Mode == "grid" {
		b.Mode, b.Current = "", ""
	}
	if b.Theme == "system" {
		b.Theme = ""
	}
	if b.Window == "shown" {
		b.Window = ""
	}
	return b
}

func viewOut(o catalog.ViewOut) any {
	return struct {
		catalog.Result
		View viewForm `json:"view"`
	}{o.Result, view(o.View)}
}

func getCurrentFolderOut(o catalog.GetCurrentFolderOut) any {
	return struct {
		catalog.Result
		Folder string   `json:"folder"`
		View   viewForm `json:"view"`
	}{o.Result, o.Folder, view(o.View)}
}

func imagesOf(files []catalog.File) []catalog.Image {
	images := make([]catalog.Image, len(files))
	for i, f := range files {
		images[i] = f.Image
	}
	return images
}

// filesOf returns the first files, and the number of files if there are more.
func filesOf(files []catalog.File) (list []imageForm, count int) {
	list = listed(imagesOf(files[:min(len(files), catalog.MostListed)]))
	if len(files) > len(list) {
		count = len(files)
	}
	return list, count
}

func filesOut(o catalog.FilesOut) any {
	list, count := filesOf(o.Files)
	return struct {
		catalog.Result
		Files []imageForm `json:"files"`
		Count int         `json:"count,omitempty"`
	}{o.Result, list, count}
}

func selectFileOut(o catalog.SelectFileOut) any {
	list, count := filesOf(o.Selected)
	return struct {
		catalog.Result
		Selected []imageForm `json:"selected"`
		Count    int         `json:"count,omitempty"`
	}{o.Result, list, count}
}

func navigateImageOut(o catalog.NavigateImageOut) any {
	return struct {
		catalog.Result
		File  imageForm `json:"file"`
		Index int       `json:"index"`
		Count int       `json:"count"`
	}{o.Result, imageOf(o.File.Image), o.Index, o.View.Matching}
}

// The files are a page. get_current_folder returns the
// view.
func getFilesInViewOut(o catalog.GetFilesInViewOut) any {
	list := listed(imagesOf(o.Files))
	v := view(o.View)
	return struct {
		catalog.Result
		Files      []imageForm          `json:"files"`
		Folder     string               `json:"folder"`
		Filters    *catalog.ViewFilters `json:"filters,omitempty"`
		Sort       string               `json:"sort,omitempty"`
		Total      int                  `json:"total"`
		Matching   int                  `json:"matching"`
		NextCursor string               `json:"next_cursor,omitempty"`
	}{o.Result, list, v.Folder, v.Filters, v.Sort, o.Total, o.Matching, o.NextCursor}
}

// If the same code drew several files, only the first one
// has it.
func getSelectedFilesOut(o catalog.GetSelectedFilesOut, inlined []string) any {
	type brief struct {
		imageForm
		Code      string         `json:"code,omitempty"`
		SameAs    *int           `json:"same_code_as_file,omitempty"`
		Client    string         `json:"client,omitempty"`
		Region    *regionForm    `json:"region,omitempty"`
		Questions []questionForm `json:"questions,omitempty"`
	}
	list := []brief{}
	first := make(map[string]int) // index of the file that has the code
	for i, f := range o.Files[:min(len(o.Files), catalog.MostListed)] {
		b := brief{imageForm: imageOf(f.Image), Client: f.Client, Region: region(f.Region, inlined)}
		for _, q := range f.Questions {
			b.Questions = append(b.Questions, questionOf(q, false))
		}
		if at, has := first[f.Code]; has {
			b.SameAs, b.Client = &at, ""
		} else if f.Code != "" {
			first[f.Code], b.Code = i, truncate.Middle(f.Code, mostSource)
		}
		list = append(list, b)
	}
	line := ""
	if o.Pictured {
		images := make([]catalog.Image, len(o.Files))
		for i, f := range o.Files {
			images[i] = f.Image
		}
		var shown []imageForm
		shown, line = pictured(images, delivery{inlined: inlined, blind: o.Blind})
		for i := range list {
			list[i].Path = shown[i].Path
		}
	}
	count := 0
	if len(o.Files) > len(list) {
		count = len(o.Files)
	}
	return struct {
		catalog.Result
		SelectedBy string  `json:"selected_by,omitempty"`
		Files      []brief `json:"files"`
		Count      int     `json:"count,omitempty"`
		Pictures   string  `json:"pictures,omitempty"`
	}{o.Result, o.SelectedBy, list, count, line}
}

func getPromptInfoOut(o catalog.GetPromptInfoOut) any {
	const mostRaw, mostRawWithPrompt = 8_000, 1_000
	b := struct {
		catalog.Result
		File           imageForm         `json:"file"`
		Code           string            `json:"code,omitempty"`
		Language       string            `json:"language,omitempty"`
		SessionID      string            `json:"session_id,omitempty"`
		Client         string            `json:"client,omitempty"`
		ExecutionID    string            `json:"execution_id,omitempty"`
		Environment    string            `json:"environment,omitempty"`
		Stdout         string            `json:"stdout,omitempty"`
		Stderr         string            `json:"stderr,omitempty"`
		Prompt         string            `json:"prompt,omitempty"`
		NegativePrompt string            `json:"negative_prompt,omitempty"`
		Model          string            `json:"model,omitempty"`
		Seed           string            `json:"seed,omitempty"`
		Parameters     map[string]string `json:"parameters,omitempty"`
		Tags           []string          `json:"tags,omitempty"`
		Raw            string            `json:"raw,omitempty"`
		With           string            `json:"compared_with,omitempty"`
		Differences    string            `json:"differences,omitempty"`
	}{
		Result: o.Result, File: dated(o.File.Image), Code: truncate.Middle(o.Code, mostSource), SessionID: o.SessionID,
		Client: o.Client, ExecutionID: o.ExecutionID, Stdout: truncate.Middle(o.Stdout, mostSource),
		Stderr: truncate.Middle(o.Stderr, mostSource),
		Prompt: o.Prompt, NegativePrompt: o.NegativePrompt, Model: o.Model, Seed: o.Seed, Parameters: o.Parameters,
	}
	if d := o.Differences; d != nil {
		b.With, b.Differences = d.With, d.Text
	}
	if o.Environment != nil {
		b.Environment = o.Environment.String()
	}
	if o.Language != "python" {
		b.Language = o.Language
	}
	if o.File.ResourceURI != "" { // the URI contains the session, and the file has the tags
		b.SessionID = ""
	} else {
		b.Tags = o.Tags
	}
	b.Raw = truncate.Middle(o.Raw, mostRaw)
	if o.Prompt != "" { // Prompt has been extracted from it
		b.Raw = truncate.Middle(o.Raw, mostRawWithPrompt)
	}
	return b
}

// A regionForm is the form of a region for models: the text has the rest.
type regionForm struct {
	Text string               `json:"text"`
	Axes []catalog.RegionAxes `json:"axes,omitempty"`
	Crop string               `json:"crop"`
}

// region returns the region without pixels, which are in its text.
func region(r *catalog.Region, inlined []string) *regionForm {
	if r == nil {
		return nil
	}
	b := &regionForm{Text: r.Text, Axes: r.Axes, Crop: r.Crop}
	if slices.Contains(inlined, r.Crop) {
		b.Crop = "the last pictures of this result are the selected regions, in order"
	}
	return b
}
