// Runs in every frame of a page for the user's browser, after the guard. The policy of the page
// blocks what a figure loads; this reports it to the outermost page, which lists it.
(() => {
  const tell = about => window.top.postMessage(about, "*");
  addEventListener("securitypolicyviolation", e => tell({ easelBlocked: String(e.blockedURI) }));
  // Libraries in this page that scripts load later.
  const known = {};
  const here = address => Object.hasOwn(known, String(address)) ? known[String(address)] : address;
  for (const [type, name] of [[HTMLScriptElement, "src"], [HTMLLinkElement, "href"], [HTMLImageElement, "src"]]) {
    const own = Object.getOwnPropertyDescriptor(type.prototype, name);
    Object.defineProperty(type.prototype, name, { ...own, set(address) { own.set.call(this, here(address)) } });
    const set = type.prototype.setAttribute;
    type.prototype.setAttribute = function (key, value) { set.call(this, key, String(key).toLowerCase() === name ? here(value) : value) };
  }
  // Frames that scripts add get this script too, because no policy forbids what the guard removes.
  const own = "<script>" + document.currentScript.textContent + "<" + "/script>";
  const guard = frame => {
    if (frame.srcdoc && !frame.srcdoc.includes(own)) frame.srcdoc = frame.srcdoc.replace(/^\s*(?:<!doctype[^>]*>)?/i, start => start + own);
  };
  const watch = root => new MutationObserver(changes => {
    for (const { type, target, addedNodes } of changes) {
      if (type === "attributes") guard(target);
      for (const node of addedNodes) {
        if (node.localName === "iframe") guard(node);
        node.querySelectorAll?.("iframe").forEach(guard);
      }
    }
  }).observe(root, { subtree: true, childList: true, attributeFilter: ["srcdoc"] });
  watch(document);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (how) { const root = attach.call(this, how); watch(root); return root };
  addEventListener("load", () => window.easelDrawn?.catch(problem => tell({ easelFailed: String(problem.message ?? problem) })));
})();
