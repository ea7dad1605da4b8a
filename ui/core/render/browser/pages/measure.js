// The bounding box of everything visible, in CSS pixels of the document, or null.
(() => {
  const solid = new Set(["IMG", "CANVAS", "VIDEO", "IFRAME", "OBJECT", "EMBED", "INPUT", "BUTTON", "SELECT", "TEXTAREA", "PROGRESS", "METER", "HR", "MATH"]);
  const whole = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };
  let box = null, left = 50000;
  const meet = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  const add = (r, clip) => {
    const c = meet(r, clip);
    if (c.right - c.left < 1 || c.bottom - c.top < 1) return;
    box = box ? { left: Math.min(box.left, c.left), top: Math.min(box.top, c.top), right: Math.max(box.right, c.right), bottom: Math.max(box.bottom, c.bottom) } : c;
  };
  const clear = color => color === "transparent" || /,\s*0\)$|\/\s*0\)$/.test(color);
  const painted = s => !clear(s.backgroundColor) || s.backgroundImage !== "none" || s.boxShadow !== "none" ||
    ["Top", "Right", "Bottom", "Left"].some(side => parseFloat(s["border" + side + "Width"]) > 0 && s["border" + side + "Style"] !== "none" && !clear(s["border" + side + "Color"]));
  const walk = (node, clip) => {
    if (left-- <= 0) return;
    if (node.nodeType === Node.TEXT_NODE) {
      if (!node.data.trim()) return;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const r of range.getClientRects()) add(r, clip);
      return;
    }
    if (node.nodeType === Node.DOCUMENT_FRAGMENT_NODE) {
      for (const child of node.childNodes) walk(child, clip);
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    const style = getComputedStyle(node);
    if (style.display === "none" || style.opacity === "0") return;
    const r = node.getBoundingClientRect(), page = node === document.body || node === document.documentElement;
    if (style.visibility === "visible" && !page && (node instanceof SVGSVGElement || solid.has(node.tagName.toUpperCase()) || painted(style))) add(r, clip);
    if (node instanceof SVGSVGElement || node.tagName === "IFRAME") return;
    if (!page && style.display !== "contents" && (style.overflowX !== "visible" || style.overflowY !== "visible")) clip = meet(clip, r);
    if (node.shadowRoot) walk(node.shadowRoot, clip);
    if (node.tagName === "SLOT") for (const child of node.assignedNodes()) walk(child, clip);
    if (!node.shadowRoot) for (const child of node.childNodes) walk(child, clip);
  };
  if (document.documentElement instanceof SVGSVGElement) add(document.documentElement.getBoundingClientRect(), whole);
  else if (document.body) walk(document.body, whole);
  if (!box) return null;
  return { x: box.left + scrollX, y: box.top + scrollY, width: box.right - box.left, height: box.bottom - box.top };
})()
