// One word: its vector as a sum of atoms, its senses as cards, and the differences between its inflected forms.

import { ask, model } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { count, decimal, plural } from "../numbers.js";
import { formsTable } from "../parts/forms.js";
import { searchLine } from "../parts/quotations.js";
import { senseCard, sentencesPart } from "../parts/sense.js";
import { empty, fillWhenReady } from "../parts/states.js";
import { superposition } from "../parts/superposition.js";
import { sectionHead, wordChips } from "../parts/words.js";
import { wordSearch } from "../parts/search.js";
import { addressOf, goTo } from "../router.js";

const POOLED = "Each form is weighted by its share of the occurrences.";

export function open(route, { setTitle }) {
  const place = h("div", { class: "page" });
  const update = ({ args: [word], query }) => {
    setTitle(word || "A word");
    fillWhenReady(place, () => (word ? makePage(word, query) : askForOne()));
    return true;
  };
  update(route);
  return { element: place, update };
}

function askForOne() {
  return empty(
    "Which word?",
    wordSearch({ large: true }),
    h(
      "p",
      {},
      "For example ",
      ["tie", "spring", "cell"].map((word) => [h("a", { class: "chip", href: addressOf("word", word) }, word), " "]),
    ),
  );
}

async function makePage(word, query) {
  const pooled = query.forms === "1";
  const [answer, about] = await Promise.all([ask("word", { word, forms: pooled, model: query.model }), model()]);
  const labels = new Map(answer.senses.map((sense) => [sense.atom, sense.label]));
  const places = new Map(answer.senses.map((sense, place) => [sense.atom, place]));
  return [
    head(answer, query, about),
    answer.senses.length > 0 && drawing(answer, pooled),
    senses(answer, query, about),
    answer.forms.length > 1 && h("section", {}, await formsTable(answer, labels, places)),
    nearest(answer),
  ];
}

function head(answer, query, about) {
  const facts = [
    answer.count ? plural(answer.count, "occurrence") : null,
    answer.rank ? `rank ${count(answer.rank)} of ${count(about.words)} words` : null,
    query.model && `in the model “${query.model}”`,
  ];
  return h(
    "header",
    { class: "page-head" },
    h("h1", {}, answer.word),
    h("p", { class: "quiet" }, facts.filter(Boolean).join(" · ")),
    h(
      "div",
      { class: "actions" },
      answer.forms.length > 1 && formsSwitch(answer, query),
      otherViews(answer.word, about),
    ),
  );
}

function formsSwitch(answer, query) {
  const change = (event) =>
    goTo(addressOf("word", answer.word, { ...query, forms: event.target.checked ? 1 : undefined }), { replace: true });
  const others = answer.forms.map((each) => each.form).filter((form) => form !== answer.word);
  return h(
    "label",
    { class: "switch" },
    h("input", { type: "checkbox", checked: query.forms === "1", onchange: change }),
    h("span", {}, `with ${others.join(", ")}`),
  );
}

function otherViews(word, { features }) {
  if (!features.includes("comparison")) return null;
  return h("a", { class: "button", href: addressOf("compare", word) }, "Compare models");
}

function drawing(answer, isPooled) {
  const rows = () => answer.senses.map(({ atom, weight, label }) => ({ word: answer.word, atom, weight, label }));
  const title = isPooled ? "All forms as a sum of atoms" : "The vector as a sum of atoms";
  return h(
    "section",
    {},
    sectionHead(title, csvButton(`${answer.word}-atoms`, rows)),
    superposition(answer.word, answer.senses),
    h("p", { class: "quiet" }, isPooled ? POOLED : howNear(answer)),
  );
}

function howNear({ word, explained }) {
  return `The cosine of this sum with the vector of “${word}” is ${decimal(explained)}; 1 would be a perfect fit.`;
}

function senses(answer, query, about) {
  if (!answer.senses.length)
    return empty("No senses", h("p", {}, `No atom has a positive weight in “${answer.word}”.`));
  const cards = answer.senses.map((sense, place) =>
    senseCard(sense, {
      place,
      top: answer.senses[0].weight,
      word: answer.word,
      isMeant: String(sense.atom) === query.atom,
    }),
  );
  const isAwaited = about.corpus && !about.static && !answer.senses.some((sense) => sense.sentences);
  return h(
    "section",
    {},
    sectionHead(
      plural(answer.senses.length, "sense"),
      csvButton(`${answer.word}-senses`, () => senseRows(answer)),
    ),
    isAwaited && searchLine(answer.word, query.model, (found) => addSentences(cards, found, answer.word)),
    h("div", { class: "cards" }, cards),
  );
}

function addSentences(cards, found, word) {
  for (const card of cards) {
    const sentences = found[card.dataset.atom] ?? [];
    if (sentences.length) card.querySelector("footer").before(sentencesPart(sentences, word));
  }
}

function senseRows(answer) {
  return answer.senses.map((sense) => ({
    word: answer.word,
    atom: sense.atom,
    weight: sense.weight,
    label: sense.label,
    nearest: sense.nearest.map((near) => near.word).join(" "),
    linked: sense.linked.map((link) => link.word).join(" "),
    meta: sense.meta?.[1] ?? "",
  }));
}

function nearest(answer) {
  if (!answer.nearest?.length) return null;
  const rows = () =>
    answer.nearest.map((near) => ({ word: answer.word, nearest: near.word, similarity: near.similarity }));
  return h(
    "section",
    {},
    sectionHead("Nearest words to the whole vector", csvButton(`${answer.word}-nearest`, rows)),
    wordChips(answer.nearest),
  );
}
