// Runs in every frame before the figure's scripts. It helps figures to draw. Their isolation
// from the network does not depend on it.
(() => {
  // The bytes of our copies of libraries may differ from those that a page expects.
  for (const type of [HTMLScriptElement, HTMLLinkElement])
    Object.defineProperty(type.prototype, "integrity", { get: () => "", set: () => {}, configurable: true });
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"])
    try { delete window[name] } catch { /* then the policy forbids it */ }
  // A sandboxed page has no storage, but libraries expect one.
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
  // A replacement for notebooks' RequireJS, for figures that require what is already loaded.
  const known = { plotly: "Plotly", bokeh: "Bokeh", jquery: "jQuery", vega: "vega", "vega-lite": "vegaLite", "vega-embed": "vegaEmbed" };
  if (window.require === undefined) {
    const require = (names, done) => { if (Array.isArray(names) && done) setTimeout(() => done(...names.map(n => window[known[n]])), 0) };
    require.config = () => {};
    Object.defineProperty(window, "require", { value: require, writable: true, configurable: true });
  }
})();
