// Runs in every frame before the figure's scripts. The browser reports no changes of a canvas. This
// cancels an event "easel-drawn" at a canvas on which WebGL has drawn, but not since the time in the
// event.
(() => {
  const drawn = new WeakMap(), now = performance.now.bind(performance);
  for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext])
    for (const name of ["clear", "drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced", "drawRangeElements"]) {
      const draw = prototype[name];
      if (draw) prototype[name] = function (...all) { drawn.set(this.canvas, now()); return draw.apply(this, all) };
    }
  addEventListener("easel-drawn", e => { if (drawn.get(e.composedPath()[0]) < e.detail) e.preventDefault() }, true);
})();
