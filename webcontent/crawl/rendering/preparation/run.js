// The steps in their order. Each is timed.
const timed = async (name, step) => {
  const begin = performance.now();
  try { await step(); } catch (error) { report.error = String(error).slice(0, 200); }
  report.ms[name] = Math.round((report.ms[name] || 0) + performance.now() - begin);
};
globalThis.webcontent = {
  ready,
  prepare: async () => {
    const hides = options.overlays !== "keep" && bodyOf(document) instanceof HTMLElement;
    const clicks = options.scroll === "list" || options.expand === "click";
    if (!(bodyOf(document) instanceof HTMLElement)) return JSON.stringify(report);
    if (hides) await timed("hide", hideOverlays);
    if (clicks) addEventListener("click", guard, true);
    if (options.scroll !== "none" && hasScripts) await timed("scroll", scroll);
    if (options.expand !== "none") await timed("unfold", unfold);
    if (options.expand === "click" && hasScripts) await timed("click", clickMore);
    if (clicks) removeEventListener("click", guard, true);
    if (hides && hasScripts) await timed("hide", hideOverlays);
    return JSON.stringify(report);
  },
};
