// The script design: the page is an empty shell that is filled from JSON.
"use strict";

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  for (const child of children) element.append(child);
  return element;
}

function emphasized(line) {
  const holder = document.createDocumentFragment();
  line.split("*").forEach((piece, index) => holder.append(index % 2 ? make("em", {}, piece) : piece));
  return holder;
}

const BUILDERS = {
  paragraph: (part) => make("p", {}, emphasized(part.lines[0])),
  subheading: (part) => make("h2", {}, part.lines[0]),
  quote: (part) => make("blockquote", {}, make("p", {}, emphasized(part.lines[0]))),
  list: (part) => make("ul", {}, ...part.lines.map((line) => make("li", {}, emphasized(line)))),
  steps: (part) => make("ol", {}, ...part.lines.map((line) => make("li", {}, emphasized(line)))),
  table: (part) => make("table", {}, ...part.rows.map((row, index) =>
    make("tr", {}, ...row.map((cell) => make(index ? "td" : "th", {}, cell))))),
  image: (part) => make("figure", {},
    make("img", { src: part.image.src, alt: "", width: part.image.width, height: part.image.height }),
    make("figcaption", {}, part.image.caption)),
};

function links(articles) {
  return make("ul", {}, ...articles.map((article) => make("li", {}, make("a", { href: article.path }, article.title))));
}

function build(article) {
  document.title = `${article.title} · ${article.site}`;
  return [
    make("header", { class: "site" }, make("a", { href: "/" }, article.site),
      make("nav", {}, make("a", { href: "/yaowen/" }, "要闻"), " ", make("a", { href: "/en/" }, "English"))),
    make("article", {},
      make("h1", {}, article.title),
      make("p", { class: "byline" },
        make("time", { datetime: article.time }, article.shown), " · ",
        ...article.authors.flatMap((name, index) => [index ? ", " : "", make("a", { rel: "author", href: "/about/people" }, name)])),
      make("div", { class: "text" }, ...article.parts.map((part) => BUILDERS[part.kind](part)))),
    make("section", { class: "related" }, make("h3", {}, article.words.related), links(article.related)),
    make("footer", {}, make("p", {}, article.words.rights), make("a", { href: "/about/" }, article.words.about)),
  ];
}

async function start() {
  const app = document.getElementById("app");
  const response = await fetch(app.dataset.article);
  app.append(...build(await response.json()));
}

start();
