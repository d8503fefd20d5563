// The model that is served, and the keyboard shortcuts.

import { model } from "../api.js";
import { h } from "../dom.js";
import { count } from "../numbers.js";
import { fillWhenReady } from "../parts/states.js";

const KEYS = [
  ["/", "go to the search field"],
  ["↑ ↓ Enter Esc", "choose a suggestion"],
  ["← → ↑ ↓", "move the map"],
  ["+ − 0", "zoom in, zoom out, show the whole map"],
  ["Enter", "select the atom in the middle of the map"],
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
  return [
    h("header", { class: "page-head" }, h("h1", {}, "About")),
    h("section", {}, h("p", {}, IDEA), h("p", {}, SOURCE)),
    list(
      "The model",
      factsOf(about).filter(([, value]) => value),
    ),
    list(
      "Keyboard",
      KEYS.map(([key, what]) => [h("kbd", {}, key), what]),
    ),
    about.licence && titled("Licence of the model", h("pre", { class: "licence" }, about.licence)),
    !about.static &&
      h("p", { class: "quiet" }, "For programs: ", h("a", { href: "openapi.json" }, "the API of this server"), "."),
  ];
}

function factsOf(about) {
  return [
    ["Model", about.name],
    ["Words", count(about.words)],
    ["Atoms", `${count(about.atoms)}, in ${count(about.metas)} meta-atoms`],
    ["Vectors", `${about.dim} dimensions, by ${about.method}`],
    ["Trained on", [about.tokens && `${count(about.tokens)} words`, about.text].filter(Boolean).join(": ")],
    ["Tuned", about.tuned ? "yes, on pseudowords" : "no; the probabilities of senses are less reliable"],
    ["Other models", about.models.filter((name) => name !== about.name).join(", ")],
    ["Program", `wordatoms ${about.version}`],
  ];
}

const titled = (title, ...content) => h("section", {}, h("h2", {}, title), content);
const list = (title, facts) => titled(title, h("dl", { class: "facts" }, facts.map(fact)));

function fact([name, value]) {
  return [h("dt", {}, name), h("dd", {}, value)];
}
