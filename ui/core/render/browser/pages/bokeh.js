// Says where the axes of the plots of Bokeh are in the page, and from where to where they go, as easelAxes does for Plotly. The numbers are
// those of Easel's facts: plots in the order of the layout, and in each the ranges in the order of the glyphs.
(() => {
  const documents = window.Bokeh?.documents ?? [], found = [], plots = [];
  const collect = (model, depth) => {
    if (!model || depth > 20 || plots.length > 100) return;
    if (Array.isArray(model)) model.forEach(each => collect(each, depth + 1));
    else if (model.renderers && model.x_range && model.y_range) plots.push(model);
    else [model.children, model.tabs, model.child, model.content].forEach(each => collect(each, depth + 1));
  };
  documents.forEach(document => collect(document.roots(), 0));
  const named = (all, name) => all instanceof Map ? all.get(name) : all?.[name];
  const axis = (plot, way, name) => {
    const own = !name || name === "default";
    const range = own ? plot[way + "_range"] : named(plot["extra_" + way + "_ranges"], name);
    const scale = !own && named(plot["extra_" + way + "_scales"], name) || plot[way + "_scale"];
    if (!range || !Number.isFinite(range.start) || !Number.isFinite(range.end)) return null;
    const lim = [range.start, range.end];
    if (range.factors) {
      const simple = range.factors.every(factor => typeof factor === "string") && !range.factor_padding;
      return simple ? { lim: lim.map(v => v - 0.5), scale: "category" } : null;
    }
    if (scale?.type === "LogScale") return { lim, scale: "log" };
    if (scale?.type !== "LinearScale") return null;
    const sides = way === "x" ? [plot.below, plot.above] : [plot.left, plot.right];
    const dated = sides.flat().some(axis => axis?.type === "DatetimeAxis" && (axis[way + "_range_name"] ?? "default") === (own ? "default" : name));
    return dated ? { lim: lim.map(v => v / 1000), scale: "date" } : { lim };
  };
  let n = 0;
  for (const plot of plots) {
    const view = Bokeh.index.find_one?.(plot) ?? Bokeh.index[plot.id];
    const canvas = (view?.canvas_view ?? view?.canvas)?.el?.getBoundingClientRect(), frame = view?.frame?.bbox, keys = [];
    for (const { type, visible, x_range_name: x, y_range_name: y } of plot.renderers) {
      if (type !== "GlyphRenderer" || visible === false || keys.includes(x + " " + y)) continue;
      keys.push(x + " " + y);
      n++;
      if (!canvas || !frame || found.length >= 100) continue;
      const left = canvas.left + scrollX, top = canvas.top + scrollY;
      found.push({ n, box: [left + frame.x0, top + frame.y0, left + frame.x1, top + frame.y1], x: axis(plot, "x", x), y: axis(plot, "y", y) });
    }
  }
  return found;
})()
