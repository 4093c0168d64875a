// The buttons of what asks for consent. Python chooses among them by their names and says which is clicked. In a frame the whole document is the dialog.
const BUTTONS = "button,a,input[type=button],input[type=submit],[role=button],[onclick]", BOXES = "input[type=checkbox],[role=checkbox],[role=switch]";
const NO_BUTTONS = "[role=switch],[role=checkbox],:disabled,[aria-disabled=true]";
const tried = new Set();
let listed = []; // [button, dialog] in the order in which Python was told of them
const dialogs = () => options.isFrame ? [rootOf(document)] : asking();
const inside = (element, selector) => [element, shadowOf(element)].filter(Boolean).flatMap((root) => rootsOf(root)).flatMap((root) => [...all(root, selector)]);
const isTicked = (box) => box instanceof HTMLInputElement ? box.checked : attributeOf(box, "aria-checked") === "true";
const isLocked = (box) => matches(box, ":disabled,[aria-disabled=true]");
const isOpen = (box) => isTicked(box) && !isLocked(box);
const leads = (element) => nameOf(element) === "a" && !/^(?:#|javascript:|$)/.test(attributeOf(element, "href") || "");
const textsOf = (button) => { // what a reader and a screen reader are told: its label, what is shown, its title
  const ids = (attributeOf(button, "aria-labelledby") || "").split(/\s+/).filter(Boolean);
  const labels = ids.map((id) => Document.prototype.getElementById.call(document, id)).filter(Boolean).map((label) => textOf(label));
  const shown = button instanceof HTMLInputElement ? button.value : button instanceof HTMLElement ? shownTextOf(button) : textOf(button);
  const images = Array.from(all(button, "img"), (image) => attributeOf(image, "alt"));
  const texts = [...labels, attributeOf(button, "aria-label"), shown, attributeOf(button, "title"), ...images];
  return [...new Set(texts.map((text) => (text || "").replace(/\s+/g, " ").trim()).filter(Boolean))];
};
globalThis.webcontentButtons = {
  list: () => {
    const found = dialogs().flatMap((dialog) => inside(dialog, BUTTONS).map((button) => [button, dialog]));
    listed = [...new Map(found.map((row) => [row[0], row])).values()] // dialogs may lie in one another
      .filter(([button]) => button instanceof HTMLElement && !tried.has(button) && isShown(button) && !leads(button) && !matches(button, NO_BUTTONS));
    return listed.map(([button, dialog]) => ({
      texts: textsOf(button),
      is_known: matches(button, options.refusals),
      has_boxes: inside(dialog, BOXES).some((box) => !isLocked(box)) && !inside(dialog, "input[type=radio]").length,
    }));
  },
  click: async (index, unticks) => { // whether the button is clicked; with `unticks` only where nothing but what is locked is ticked then
    const [button, dialog] = listed[index];
    tried.add(button);
    if (unticks) {
      for (const box of inside(dialog, BOXES)) if (isOpen(box) && box instanceof HTMLElement) box.click();
      await pause(POLL_MS);
      if (inside(dialog, BOXES).some(isOpen)) return false;
    }
    setTimeout(() => button.click(), 0); // the answer goes first: the click may take the frame away
    return true;
  },
};
