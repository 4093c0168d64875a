// Between autoconsent and Python: messages wait here until Python asks for them. No click reaches a button that accepts.
const ACCEPT = new RegExp(options.accept, "i"), REFUSE = new RegExp(options.refuse, "i");
const queue = [], refused = [];
let wake = null;
globalThis.autoconsentSendMessage = (message) => { queue.push(JSON.stringify(message)); if (wake) wake(); return Promise.resolve(); };
const wordsOf = (node) => node instanceof HTMLElement ? [node.innerText, node.value, node.getAttribute("aria-label"), node.title].filter((text) => typeof text === "string").join(" ").trim() : "";
const forbid = (event) => {
  if (event.isTrusted) return;
  const button = event.composedPath().find((node) => node instanceof Element && node.matches("button,a,input,[role=button]")) || event.composedPath()[0];
  const words = wordsOf(button).slice(0, options.longest);
  if (!ACCEPT.test(words) || REFUSE.test(words)) return;
  refused.push(words);
  event.preventDefault();
  event.stopImmediatePropagation();
};
for (const name of ["click", "mousedown", "mouseup", "pointerdown", "pointerup"]) addEventListener(name, forbid, true);
globalThis.webcontentConsent = {
  next: (longestMs) => new Promise((done) => {
    const give = () => { wake = null; clearTimeout(timer); done(queue.shift() || "null"); };
    const timer = setTimeout(give, longestMs);
    if (queue.length) give(); else wake = give;
  }),
  stop: () => {
    for (const name of ["click", "mousedown", "mouseup", "pointerdown", "pointerup"]) removeEventListener(name, forbid, true);
    return refused.length;
  },
};
