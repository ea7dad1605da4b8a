// Resolves when a frame is calm: its fonts are loaded, no animation of less than three seconds
// is running, and its elements have not changed for two animation frames and some time. The
// result says whether it has a canvas or a video whose changes cannot be observed: all but those
// of a canvas with WebGL that rests; see drawn.js. easelChanged reports whether the frame has
// changed since.
(async () => {
  const quiet = 60, wait = ms => new Promise(done => setTimeout(done, ms));
  await document.fonts.ready;
  if (!globalThis.easelWatch) {
    const watch = globalThis.easelWatch = { last: performance.now(), roots: new Set() };
    watch.observer = new MutationObserver(() => { watch.last = performance.now() });
    // painted returns the canvases and videos on which something may have been painted since a time.
    const rests = (e, since) => !e.dispatchEvent(new CustomEvent("easel-drawn", { detail: since, cancelable: true, composed: true }));
    watch.painted = since => [...watch.roots].flatMap(root => [...root.querySelectorAll("canvas, video")]).filter(e => !rests(e, since));
    globalThis.easelChanged = () => watch.observer.takeRecords().length > 0 || watch.last > watch.calm || !watch.paints && watch.painted(watch.calm).length > 0;
  }
  const watch = globalThis.easelWatch;
  const observe = root => {
    if (!root || watch.roots.size > 200) return;
    if (!watch.roots.has(root)) {
      watch.roots.add(root);
      watch.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    }
    for (const e of root.querySelectorAll("*")) if (e.shadowRoot) observe(e.shadowRoot);
  };
  const frame = () => new Promise(done => {
    const late = setTimeout(done, 100); // a hidden frame has no animation frames
    requestAnimationFrame(() => { clearTimeout(late); done() });
  });
  const moves = () => document.getAnimations().some(a => a.playState === "running" && a.effect && a.effect.getComputedTiming().endTime < 3000);
  const draws = () => painted.length > 0 && watch.painted(Infinity).length === 0; // only with WebGL
  observe(document);
  const patience = performance.now() + 500; // with a canvas that is drawn on again and again
  let begin, painted;
  do {
    begin = performance.now();
    await frame();
    await frame();
    await wait(Math.max(10, watch.last + quiet - performance.now()));
    observe(document);
    painted = watch.painted(begin);
  } while (performance.now() - watch.last < quiet || moves() || draws() && performance.now() < patience);
  watch.calm = performance.now();
  return watch.paints = painted.length > 0;
})()
