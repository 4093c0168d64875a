// The script-only design: an empty shell, and a page built from JSON.
"use strict";

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  for (const child of children) element.append(child);
  return element;
}

function stressed(line) {
  const holder = document.createDocumentFragment();
  line.split("*").forEach((piece, index) => holder.append(index % 2 ? make("em", {}, piece) : piece));
  return holder;
}

const BUILDERS = {
  paragraph: (part) => make("p", {}, stressed(part.lines[0])),
  subhead: (part) => make("h2", {}, part.lines[0]),
  quote: (part) => make("blockquote", {}, make("p", {}, stressed(part.lines[0]))),
  list: (part) => make("ul", {}, ...part.lines.map((line) => make("li", {}, stressed(line)))),
  steps: (part) => make("ol", {}, ...part.lines.map((line) => make("li", {}, stressed(line)))),
  table: (part) => make("table", {}, ...part.rows.map((row, index) =>
    make("tr", {}, ...row.map((cell) => make(index ? "td" : "th", {}, cell))))),
  picture: (part) => make("figure", {},
    make("img", { src: part.picture.src, alt: "", width: part.picture.width, height: part.picture.height }),
    make("figcaption", {}, part.picture.caption)),
};

function links(stories) {
  return make("ul", {}, ...stories.map((story) => make("li", {}, make("a", { href: story.path }, story.title))));
}

function build(story) {
  document.title = `${story.title} · ${story.site}`;
  return [
    make("header", { class: "site" }, make("a", { href: "/" }, story.site),
      make("nav", {}, make("a", { href: "/yaowen/" }, "要闻"), " ", make("a", { href: "/en/" }, "English"))),
    make("article", {},
      make("h1", {}, story.title),
      make("p", { class: "byline" },
        make("time", { datetime: story.time }, story.shown), " · ",
        ...story.authors.flatMap((name, index) => [index ? ", " : "", make("a", { rel: "author", href: "/about/people" }, name)])),
      make("div", { class: "text" }, ...story.parts.map((part) => BUILDERS[part.kind](part)))),
    make("section", { class: "related" }, make("h3", {}, story.words.related), links(story.related)),
    make("footer", {}, make("p", {}, story.words.rights), make("a", { href: "/about/" }, story.words.about)),
  ];
}

async function start() {
  const app = document.getElementById("app");
  const answer = await fetch(app.dataset.story);
  app.append(...build(await answer.json()));
}

start();
