// Resolves when a frame is calm: its fonts are loaded, no animation of less than three seconds
// is running, and its elements have not changed for two animation frames and some time. The
// result says whether it has a canvas or a video, whose changes cannot be observed.
// easelChanged reports whether the frame has changed since.
(async () => {
  const quiet = 60, wait = ms => new Promise(done => setTimeout(done, ms));
  await document.fonts.ready;
  let canvas = false;
  if (!globalThis.easelWatch) {
    const watch = globalThis.easelWatch = { last: performance.now(), roots: new Set() };
    watch.observer = new MutationObserver(() => { watch.last = performance.now() });
    globalThis.easelChanged = () => watch.observer.takeRecords().length > 0 || watch.last > watch.calm;
  }
  const watch = globalThis.easelWatch;
  const observe = root => {
    if (!root || watch.roots.size > 200) return;
    if (!watch.roots.has(root)) {
      watch.roots.add(root);
      watch.observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    }
    canvas = canvas || !!root.querySelector("canvas, video");
    for (const e of root.querySelectorAll("*")) if (e.shadowRoot) observe(e.shadowRoot);
  };
  const frame = () => new Promise(done => {
    const late = setTimeout(done, 100); // a hidden frame has no animation frames
    requestAnimationFrame(() => { clearTimeout(late); done() });
  });
  const moves = () => document.getAnimations().some(a => a.playState === "running" && a.effect && a.effect.getComputedTiming().endTime < 3000);
  observe(document);
  do {
    await frame();
    await frame();
    await wait(Math.max(10, watch.last + quiet - performance.now()));
    observe(document);
  } while (performance.now() - watch.last < quiet || moves());
  watch.calm = performance.now();
  return canvas;
})()
