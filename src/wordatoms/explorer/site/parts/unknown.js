// A word that the model does not know: its parts, similar spellings, and a vector from sentences with it.

import { ask, thing } from "../api.js";
import { csvButton } from "../csv.js";
import { announce, h } from "../dom.js";
import { count, decimal } from "../numbers.js";
import { addressOf } from "../router.js";
import { fillWhenReady } from "./states.js";
import { bar, sectionHead, wordChips } from "./words.js";

const MOST_LETTERS = 10000;
const LONGEST_SHOWN = 60;

export function unknownWord(word, { message, suggestions = [], parts = [] }, about, model) {
  announce(message);
  const shown = word.length > LONGEST_SHOWN ? `${word.slice(0, LONGEST_SHOWN)}…` : word;
  const canInduce = about.features.includes("contexts") && about.features.includes("server");
  return [
    h(
      "header",
      { class: "page-head not-found" },
      h("h1", {}, shown),
      h(
        "p",
        { class: "failure", role: "alert" },
        `'${shown}' is not among the ${count(about.words)} ${thing()}s of this model.`,
      ),
    ),
    suggestions.length > 0 && choice("Did you mean", suggestions),
    parts.length > 0 && choice("Its parts", parts),
    canInduce && induction(word, shown, model),
    !suggestions.length && !parts.length && !canInduce && h("p", { class: "quiet" }, "Try another spelling."),
  ];
}

function choice(title, words) {
  return h(
    "section",
    {},
    h("h2", {}, title),
    h(
      "ul",
      { class: "chips", role: "list" },
      words.map((word) => h("li", {}, h("a", { class: "chip big", href: addressOf("word", word) }, word))),
    ),
  );
}

/** A form that makes a vector for the word from pasted sentences. */
function induction(word, shown, model) {
  const field = h("textarea", {
    "aria-label": `Sentences with ${shown}`,
    maxlength: MOST_LETTERS,
    rows: 4,
    placeholder: "One sentence on each line",
  });
  const place = h("div", { "aria-live": "polite" });
  const submit = (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (text) fillWhenReady(place, async () => induced(await ask("induce", { word, text, model })));
  };
  return h(
    "section",
    {},
    h("h2", {}, "Or make a vector for it"),
    h(
      "p",
      { class: "quiet" },
      `Paste some sentences with “${shown}”. What it means is read off the words around it; the model stays as it is.`,
    ),
    h(
      "form",
      { class: "sentence-form", onsubmit: submit },
      field,
      h("div", {}, h("button", { class: "main" }, "Make")),
    ),
    place,
  );
}

function induced({ word, nearest, atoms }) {
  const rows = [
    ...nearest.map((near) => ({ word, kind: "word", near: near.word, similarity: near.similarity })),
    ...atoms.map(({ atom, label, similarity }) => ({ word, kind: `atom ${atom}`, near: label, similarity })),
  ];
  return [
    sectionHead(
      "It is near to these words",
      csvButton(`${word}-induced`, () => rows),
    ),
    wordChips(nearest),
    h("h2", { class: "after" }, "and to these atoms"),
    h(
      "ul",
      { class: "measured-list", role: "list" },
      atoms.map(({ atom, label, similarity }) =>
        h(
          "li",
          {},
          h("a", { href: addressOf("atom", atom) }, label),
          bar(similarity, decimal(similarity)),
          h("span", { class: "number" }, decimal(similarity)),
        ),
      ),
    ),
  ];
}
