// One sense of a word as a card: what matters in a few lines, the rest unfolds.

import { h, put } from "../dom.js";
import { decimal } from "../numbers.js";
import { addressOf } from "../router.js";
import { amountOf, amountPhrase, hasAtom, isByUse, keyOf } from "../senses.js";
import { fold } from "./fold.js";
import { quotations, shortQuotation } from "./quotations.js";
import { atomLinks, bar, tone, wordChips } from "./words.js";

const N_FIRST = 4; // nearest words before the rest unfolds

/** `place` gives the colour, `top` the largest share or weight; `isAwaited` if sentences are being searched for. */
export function senseCard(sense, { place, top, isMeant = false, isAwaited = false }) {
  if (sense.is_general) return generalCard(sense, top, isAwaited);
  return h(
    "article",
    {
      class: `card sense${isMeant ? " meant" : ""}`,
      style: tone(place),
      "data-atom": sense.atom,
      "data-key": keyOf(sense),
      "aria-label": `Sense: ${sense.label}`,
    },
    senseHead(sense, top),
    wordChips(sense.nearest.slice(0, N_FIRST)),
    exampleSlot(sense, isAwaited),
    fold(`sense-${keyOf(sense)}`, "More", moreOf(sense), { kind: "more" }),
  );
}

/** The place of the example; it keeps its height while sentences are searched for, so that nothing moves. */
function exampleSlot({ sentences, example }, isAwaited) {
  const found = sentences?.[0] ?? example;
  if (!found && !isAwaited) return null;
  return h("div", { class: `slot${isAwaited ? " awaited" : ""}` }, found && shortQuotation(found));
}

function moreOf(sense) {
  const rest = sense.nearest.slice(N_FIRST);
  return [
    rest.length > 0 && part("More nearest words", wordChips(rest)),
    sense.linked?.length > 0 && part("Also a sense of", wordChips(sense.linked, { value: "weight", atom: sense.atom })),
    h("div", { class: "sentences" }, sense.sentences?.length > 0 && sentencesPart(sense.sentences)),
    h(
      "footer",
      {},
      hasAtom(sense) ? atomLinks(sense.atom, sense.listed ? sense.atom_label : "") : h("span", {}, "no atom is near"),
      sense.meta && h("a", { href: addressOf("meta", sense.meta[0]), title: "Its meta-atom" }, sense.meta[1]),
      coefficient(sense),
    ),
  ];
}

/** The weight of its atom in the code of the word, if there is one. */
function coefficient(sense) {
  if (!isByUse(sense) || !(sense.weight > 0)) return null;
  return h("small", { title: "The coefficient of the atom in the paper's code" }, `weight ${decimal(sense.weight)}`);
}

/** The uses that are about any subject. */
function generalCard(sense, top, isAwaited) {
  return h(
    "article",
    { class: "card sense general", "data-atom": sense.atom, "data-key": keyOf(sense), "aria-label": "General use" },
    senseHead(sense, top),
    h("p", { class: "quiet" }, "These uses are about no subject in particular."),
    exampleSlot(sense, isAwaited),
  );
}

/** Label and share or weight: the head of every card. */
export function senseHead(sense, top) {
  return [
    h("header", {}, h("h3", {}, sense.label)),
    h(
      "p",
      { class: "weight" },
      bar(amountOf(sense) / top, isByUse(sense) ? amountPhrase(sense) : `weight ${decimal(sense.weight)}`),
      h("span", {}, amountPhrase(sense)),
    ),
  ];
}

/** Sentences that were found after the card was shown. */
export function addSentences(card, found) {
  if (!found?.length) return;
  put(card.querySelector(".slot"), shortQuotation(found[0]));
  const place = card.querySelector(".sentences");
  if (place) put(place, sentencesPart(found));
}

const sentencesPart = (sentences) => part("In the text", quotations(sentences));

function part(title, content) {
  return h("div", { class: "part" }, h("h4", {}, title), content);
}
