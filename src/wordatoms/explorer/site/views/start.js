// The first page: a field to type into, and examples for those who would rather look.

import { model } from "../api.js";
import { h, put } from "../dom.js";
import { count } from "../numbers.js";
import { wordSearch } from "../parts/search.js";
import { addressOf } from "../router.js";

const WORDS = ["tie", "spring", "bank", "cell", "bass", "pitch", "crane", "court", "plant"];
const SENTENCES = [
  "Fresh water ran from the spring into the valley.",
  "He wore a dark suit and a silk tie to the ceremony.",
  "The bank of the river was covered with reeds.",
  "She played the bass in a jazz band for many years.",
];
const DOORS = [
  ["map", "The map", "All atoms of discourse in the plane: pan, zoom, search."],
  ["lineup", "The lineup", "Find the senses of a word among twenty. The machine plays too."],
  ["compare", "Compare", "One word in two models: your own text beside another."],
  ["report", "The report", "Every table and figure of the paper, made again."],
];

export function open(_route, { setTitle }) {
  setTitle("");
  const numbers = h("p", { class: "quiet" });
  const doors = h("div", { class: "doors" });
  const examples = h("section", { "aria-labelledby": "examples-sentences" });
  fillFromModel(numbers, doors, examples);
  return {
    element: h(
      "div",
      { class: "start" },
      h("h1", {}, "What is inside a word?"),
      h("p", { class: "lead" }, "The vector of a word is the sum of its senses. Type one and see which."),
      wordSearch({ large: true }),
      h(
        "p",
        { class: "examples" },
        WORDS.map((word) => h("a", { class: "chip big", href: addressOf("word", word) }, word)),
      ),
      examples,
      doors,
      numbers,
    ),
  };
}

async function fillFromModel(numbers, doors, examples) {
  const { name, words, atoms, tokens, views } = await model();
  put(
    numbers,
    `The model “${name}”: ${count(words)} words and ${count(atoms)} atoms`,
    tokens ? `, learned from ${count(tokens)} words of text. ` : ". ",
    h("a", { href: "#/about" }, "More about it"),
  );
  put(doors, DOORS.filter(([view]) => views.includes(view)).map(door));
  if (views.includes("sentence")) {
    put(
      examples,
      h("h2", { id: "examples-sentences" }, "Or a sentence"),
      h(
        "ul",
        { class: "example-sentences", role: "list" },
        SENTENCES.map((text) => h("li", {}, h("a", { href: addressOf("sentence", text) }, text))),
      ),
    );
  }
}

function door([view, title, text]) {
  return h("a", { class: "door card", href: `#/${view}` }, h("strong", {}, title), h("span", {}, text));
}
