// The start page: a search field, and examples.

import { model, thing } from "../api.js";
import { h, put } from "../dom.js";
import { count } from "../numbers.js";
import { wordSearch } from "../parts/search.js";
import { addressOf } from "../router.js";
import { availableViews } from "../views.js";

const WORDS = ["tie", "spring", "bank", "cell", "bass", "pitch", "crane", "court", "plant"];
const SENTENCES = [
  "The spring of the clock broke, and the wheel stopped.",
  "She poured a glass of port after dinner.",
  "The bank of the river was covered with reeds.",
  "She played the bass in a jazz band for many years.",
];

export function open(_route, { setTitle }) {
  setTitle("");
  const numbers = h("p", { class: "quiet" });
  const intro = h("div", {});
  const doors = h("div", { class: "doors" });
  const examples = h("section", { "aria-labelledby": "examples-sentences" });
  fillFromModel(intro, numbers, doors, examples);
  return {
    element: h(
      "div",
      { class: "start" },
      intro,
      examples,
      doors,
      numbers,
    ),
  };
}

async function fillFromModel(intro, numbers, doors, examples) {
  const facts = await model();
  put(intro, thing() === "item" ? aboutItems() : aboutWords());
  const { name, words, atoms, tokens } = facts;
  const views = availableViews(facts);
  put(
    numbers,
    `The model “${name}”: ${count(words)} ${thing()}s and ${count(atoms)} atoms`,
    tokens ? `, trained on ${count(tokens)} words of text. ` : ". ",
    h("a", { href: "#/about" }, "More about it"),
  );
  put(doors, views.filter(({ card }) => card).map(door));
  if (views.some((view) => view.name === "sentence")) {
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

const aboutWords = () => [
  h("h1", {}, "What is inside a word?"),
  h("p", { class: "lead" }, "The vector of a word is a sum of its senses. Type a word to see them."),
  wordSearch({ large: true }),
  h(
    "p",
    { class: "examples" },
    WORDS.map((word) => h("a", { class: "chip big", href: addressOf("word", word) }, word)),
  ),
];

const aboutItems = () => [
  h("h1", {}, "What are these texts about?"),
  h(
    "p",
    { class: "lead" },
    "The vector of a text is a sum of a few atoms. Type a word to find the atoms of texts with it.",
  ),
  wordSearch({ large: true }),
];

function door({ name, card: [title, text] }) {
  return h("a", { class: "door card", href: `#/${name}` }, h("strong", {}, title), h("span", {}, text));
}
