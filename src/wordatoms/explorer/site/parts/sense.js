// One sense of a word as a card.

import { h } from "../dom.js";
import { decimal } from "../numbers.js";
import { amountOf, amountPhrase, hasAtom, isByUse, keyOf } from "../senses.js";
import { quotations } from "./quotations.js";
import { atomLinks, bar, tone, wordChips } from "./words.js";

/** `place` gives the colour, `top` the largest share or weight. */
export function senseCard(sense, { place, top, isMeant = false }) {
  if (sense.is_general) return generalCard(sense, top);
  return h(
    "article",
    {
      class: `card sense${isMeant ? " meant" : ""}`,
      style: tone(place),
      "data-atom": sense.atom,
      "data-key": keyOf(sense),
      "aria-label": `Sense: ${sense.label}`,
    },
    ...senseHead(sense, top),
    part("Nearest words", wordChips(sense.nearest)),
    sense.linked?.length > 0 && part("Also a sense of", wordChips(sense.linked, { value: "weight", atom: sense.atom })),
    sense.sentences?.length > 0 && sentencesPart(sense.sentences),
    h(
      "footer",
      {},
      hasAtom(sense) ? atomLinks(sense.atom) : h("span", {}, "no atom is near"),
      sense.meta && h("span", { title: "Its meta-atom" }, sense.meta[1]),
      coefficient(sense),
    ),
  );
}

/** The weight of its atom in the code of the word, if there is one. */
function coefficient(sense) {
  if (!isByUse(sense) || !(sense.weight > 0)) return null;
  return h("small", { title: "The coefficient of the atom in the paper's code" }, `weight ${decimal(sense.weight)}`);
}

/** The uses that are about any subject. */
function generalCard(sense, top) {
  return h(
    "article",
    { class: "card sense general", "data-atom": sense.atom, "data-key": keyOf(sense), "aria-label": "General use" },
    senseHead(sense, top),
    h("p", { class: "quiet" }, "These uses are about no subject in particular."),
    sense.sentences?.length > 0 && sentencesPart(sense.sentences),
    h("footer"),
  );
}

/** Label and share or weight: the head of every card. */
export function senseHead(sense, top) {
  return [
    h(
      "header",
      {},
      h("h3", {}, sense.label),
      sense.named && h("span", { class: "tag", title: "This name was given by a person" }, "named"),
    ),
    h(
      "p",
      { class: "weight" },
      bar(amountOf(sense) / top, isByUse(sense) ? amountPhrase(sense) : `weight ${decimal(sense.weight)}`),
      h("span", {}, amountPhrase(sense)),
    ),
  ];
}

export function sentencesPart(sentences) {
  return part("In the corpus", quotations(sentences));
}

function part(title, content) {
  return h("div", { class: "part" }, h("h4", {}, title), content);
}
