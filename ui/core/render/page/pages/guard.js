// Runs in every frame before the figure's own scripts. It makes figures easier to draw;
// what keeps them off the network does not depend on it.
(() => {
  // Copies of libraries are not the exact bytes that a page asks for.
  for (const type of [HTMLScriptElement, HTMLLinkElement])
    Object.defineProperty(type.prototype, "integrity", { get: () => "", set: () => {}, configurable: true });
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"])
    try { delete window[name] } catch { /* then the policy forbids it */ }
  // A sandboxed page has no storage: libraries expect an empty one.
  const storage = () => {
    const kept = new Map();
    return {
      getItem: k => kept.has(String(k)) ? kept.get(String(k)) : null, setItem: (k, v) => void kept.set(String(k), String(v)),
      removeItem: k => void kept.delete(String(k)), clear: () => kept.clear(), key: i => [...kept.keys()][i] ?? null,
      get length() { return kept.size },
    };
  };
  for (const name of ["localStorage", "sessionStorage"])
    try { Object.defineProperty(window, name, { value: storage(), configurable: true }) } catch { /* left as it is */ }
  // Notebooks' RequireJS, for figures that ask it for what is loaded already.
  const known = { plotly: "Plotly", bokeh: "Bokeh", jquery: "jQuery", vega: "vega", "vega-lite": "vegaLite", "vega-embed": "vegaEmbed" };
  if (window.require === undefined) {
    const require = (names, done) => { if (Array.isArray(names) && done) setTimeout(() => done(...names.map(n => window[known[n]])), 0) };
    require.config = () => {};
    Object.defineProperty(window, "require", { value: require, writable: true, configurable: true });
  }
})();
