// Replaces a picture by its interactive figure and back. The figure runs in a frame of its
// own origin, under the report's policy, so it reaches neither the network nor this page.
for (const button of document.querySelectorAll("button.live")) {
  const article = button.closest("article"), box = article.querySelector(".figure"), still = [...box.childNodes];
  button.addEventListener("click", () => {
    const live = box.querySelector("iframe") === null;
    button.textContent = live ? button.dataset.still : button.dataset.live;
    if (!live) return box.replaceChildren(...still);
    const frame = document.createElement("iframe");
    frame.title = button.dataset.name;
    frame.setAttribute("sandbox", "allow-scripts");
    frame.style.height = Math.max(box.clientHeight, 480) + "px";
    const page = JSON.parse(article.querySelector("script.page").textContent);
    frame.srcdoc = page.replace(/easel-library-(\d+)-/g, (_, n) => document.getElementById("library-" + n).textContent);
    box.replaceChildren(frame);
  });
}
