package plots

import (
	"context"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/plotdata"
	"easel/ui/core/tools/codes"
)

func (r *reader) readPlotData(ctx context.Context, uri string) (out catalog.ReadPlotDataOut, err error) {
	name, ok := plotdata.ParseDataURI(uri)
	if !ok {
		name = uri
	}
	im, err := r.Results.Source.Image(ctx, name)
	if err != nil {
		return out, codes.ImageNotFound(uri, err)
	}
	out.Image = im.Image
	if r.Results.Numbers != nil {
		out.CSV, out.Sample = r.Results.Numbers.CSV(ctx, im)
	}
	if out.CSV == nil {
		return out, &tool.Error{
			Code: tool.NotExecutable, Detail: "The values of this plot are not stored.",
			Hint: "They are stored for plots of matplotlib that a Python kernel of Easel draws, and for those of Plotly and Vega-Lite that need no computing.",
		}
	}
	return out, nil
}
