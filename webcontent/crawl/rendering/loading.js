// Whether the document, or a script, style or frame of it, is still being loaded.
document.readyState === "loading" || (() => {
  const finished = new Set(performance.getEntriesByType("resource").map((entry) => entry.name));
  const open = (element) => /^http/.test(element.src || element.href) && !finished.has(element.src || element.href);
  const runs = (element) => !element.noModule && /^$|script|^module$/.test(element.type || "");
  return [...document.querySelectorAll("script[src]")].some((script) => runs(script) && open(script)) ||
    [...document.querySelectorAll("link[rel~=stylesheet]")].some((link) => matchMedia(link.media).matches && open(link)) ||
    [...document.querySelectorAll("iframe")].some(open);
})()
