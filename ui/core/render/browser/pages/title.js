// The figure's title: from its library, or else that of the page, or else the first heading.
(() => {
  const plain = text => typeof text === "string" ? text.replace(/<br\s*\/?>/gi, " ").replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim().slice(0, 300) : "";
  const attempts = [
    () => { const t = document.querySelector(".js-plotly-plot").layout.title; return typeof t === "string" ? t : t.text },
    () => {
      const titles = [];
      for (const d of Bokeh.documents) for (const m of d._all_models.values()) {
        const t = m.type && /Figure|Plot$/.test(m.type) && m.title;
        if (t && (typeof t === "string" ? t : t.text)) titles.push(typeof t === "string" ? t : t.text);
      }
      return titles[0];
    },
    () => document.title === "Bokeh Application" ? "" : document.title,
    () => document.querySelector("svg > title, h1, figcaption, h2").textContent,
    () => { const t = document.querySelector(".mark-group.role-title text, .role-title-text text"); return t.textContent },
  ];
  for (const attempt of attempts) {
    try {
      const title = plain(attempt());
      if (title) return title;
    } catch { /* the next one */ }
  }
  return "";
})()
