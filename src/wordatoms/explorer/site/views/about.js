// The model that is served: the text of the model, its licence, its size, what it is bad at; the idea; the keyboard.

import { model } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { count } from "../numbers.js";
import { fold } from "../parts/fold.js";
import { fillWhenReady } from "../parts/states.js";
import { columnHead, dataTable } from "../parts/words.js";

const FEW_TOKENS = 10_000_000;

const KEYS = [
  ["/", "go to the search field"],
  ["↑ ↓ Enter Esc", "choose a suggestion"],
  ["← → ↑ ↓", "move the map"],
  ["+ − 0", "zoom in, zoom out, show the whole map"],
  ["Enter", "select the atom in the middle of the map"],
  ["Esc", "close the panel of the map"],
  ["Ctrl + Enter", "analyse the text"],
];

const IDEA = [
  "The vector of a word with several senses is close to a weighted sum of one vector per sense. ",
  "A few thousand atoms of discourse, found by sparse coding, are shared by all words: ",
  "the atoms of a word are its senses, and words that share an atom share a sense.",
].join("");
const SOURCE = [
  "The method is that of Arora, Li, Liang, Ma and Risteski, ",
  "“Linear Algebraic Structure of Word Senses, with Applications to Polysemy” (TACL 2018).",
].join("");

export function open(_route, { setTitle }) {
  setTitle("About");
  const place = h("div", { class: "page" });
  fillWhenReady(place, async () => makePage(await model()));
  return { element: place, update: () => true };
}

function makePage(about) {
  const { card } = about;
  return [
    h("header", { class: "page-head" }, h("h1", {}, "About"), card && h("p", { class: "lead" }, card.text)),
    h(
      "div",
      { class: "columns" },
      list(
        "The model",
        factsOf(about).filter(([, value]) => value),
      ),
      titled(
        "What it is bad at",
        h(
          "ul",
          { class: "limits" },
          limitsOf(about).map((limit) => h("li", {}, limit)),
        ),
      ),
    ),
    card?.sources.length > 0 && titled("The text", sourcesTable(about)),
    titled("The idea", h("p", {}, IDEA), h("p", {}, SOURCE)),
    list(
      "Keyboard",
      KEYS.map(([key, what]) => [h("kbd", {}, key), what]),
    ),
    about.licence &&
      fold("licence", "Licence of the model", h("pre", { class: "licence" }, about.licence), { kind: "large" }),
    !about.static &&
      h("p", { class: "quiet" }, "For programs: ", h("a", { href: "openapi.json" }, "the API of this server"), "."),
  ];
}

function factsOf(about) {
  const size = about.tokens && `${count(about.tokens)} tokens`;
  return [
    ["Model", about.name],
    ["Text", about.card ? size : [size, about.text].filter(Boolean).join(": ")],
    ["Licence", about.card?.licence ?? (about.licence ? "see below" : "none is stated")],
    [about.kind === "items" ? "Items" : "Words", count(about.words)],
    ["Atoms", atomsOf(about)],
    ["Vectors", `${about.dim} dimensions, by ${about.method}`],
    ["Tuned", about.tuned ? "yes, on pseudowords" : "no"],
    ["Other models", about.models.filter((name) => name !== about.name).join(", ")],
    ["Program", `wordatoms ${about.version}`],
  ];
}

function atomsOf({ atoms, metas }) {
  return [h("a", { href: "#/atoms" }, count(atoms)), metas > 0 && `, in ${count(metas)} meta-atoms`];
}

/** What the card says, or what is true of any model. */
function limitsOf({ card, tuned, tokens }) {
  if (card) return card.limits;
  return [
    "It knows what its text says, and repeats its associations with names, peoples and professions.",
    "Some senses are subjects in which a word is used; rare senses are missed.",
    tokens &&
      tokens < FEW_TOKENS &&
      `Its text is short: ${count(tokens)} words. Below some ten million, few senses are found.`,
    !tuned && "It was not tuned, so the probabilities of senses are less reliable; run wordatoms tune.",
  ].filter(Boolean);
}

function sourcesTable({ card }) {
  const heads = ["Source", "Words", "Licence"].map((name) => columnHead(name));
  const rows = card.sources.map(({ name, words, licence }) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, count(words)), h("td", {}, licence)),
  );
  return [dataTable("sources", "The text", heads, rows), csvButton("text", () => card.sources)];
}

const titled = (title, ...content) => h("section", {}, h("h2", {}, title), content);
const list = (title, facts) => titled(title, h("dl", { class: "facts" }, facts.map(fact)));

function fact([name, value]) {
  return [h("dt", {}, name), h("dd", {}, value)];
}
