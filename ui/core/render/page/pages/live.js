// Runs in every frame of a page that a person uses, after the guard. The policy of the page
// blocks what it loads from elsewhere; this tells the outermost page of it, for people.
(() => {
  const tell = about => window.top.postMessage(about, "*");
  addEventListener("securitypolicyviolation", e => tell({ easelBlocked: String(e.blockedURI) }));
  // What a script adds later is answered with what stands in the page.
  const known = {};
  const here = address => Object.hasOwn(known, String(address)) ? known[String(address)] : address;
  for (const [type, name] of [[HTMLScriptElement, "src"], [HTMLLinkElement, "href"]]) {
    const own = Object.getOwnPropertyDescriptor(type.prototype, name);
    Object.defineProperty(type.prototype, name, { ...own, set(address) { own.set.call(this, here(address)) } });
    const set = type.prototype.setAttribute;
    type.prototype.setAttribute = function (key, value) { set.call(this, key, String(key).toLowerCase() === name ? here(value) : value) };
  }
  addEventListener("load", () => window.easelDrawn?.catch(problem => tell({ easelFailed: String(problem.message ?? problem) })));
})();
