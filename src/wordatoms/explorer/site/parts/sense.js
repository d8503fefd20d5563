// One sense of a word as a card.

import { h } from "../dom.js";
import { decimal } from "../numbers.js";
import { quotations } from "./quotations.js";
import { atomLinks, bar, tone, wordChips } from "./words.js";

/** `place` gives the colour, `top` the weight of the heaviest sense. */
export function senseCard(sense, { place, top, word, isMeant = false }) {
  return h(
    "article",
    {
      class: `card sense${isMeant ? " meant" : ""}`,
      style: tone(place),
      "data-atom": sense.atom,
      "aria-label": `Sense: ${sense.label}`,
    },
    ...senseHead(sense, top),
    part("Nearest words", wordChips(sense.nearest)),
    sense.linked?.length > 0 && part("Also a sense of", wordChips(sense.linked, { value: "weight", atom: sense.atom })),
    sense.sentences?.length > 0 && sentencesPart(sense.sentences, word),
    h("footer", {}, atomLinks(sense.atom), sense.meta && h("span", { title: "Its meta-atom" }, sense.meta[1])),
  );
}

/** Label and weight: the head of every card. */
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
      bar(sense.weight / top, `weight ${decimal(sense.weight)}`),
      h("span", {}, decimal(sense.weight)),
    ),
  ];
}

export function sentencesPart(sentences, word) {
  return part("In the corpus", quotations(sentences, word));
}

function part(title, content) {
  return h("div", { class: "part" }, h("h4", {}, title), content);
}
