// One word: its uses by sense or its vector as a sum of atoms, its senses as cards, the differences between its forms.

import { ask, model, thing } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { canEdit } from "../editing.js";
import { pictureButtons } from "../pictures.js";
import { count, decimal, percent, plural } from "../numbers.js";
import { formsTable } from "../parts/forms.js";
import { fold } from "../parts/fold.js";
import { searchLine } from "../parts/quotations.js";
import { addSentences, senseCard } from "../parts/sense.js";
import { empty, fillWhenReady } from "../parts/states.js";
import { unknownWord } from "../parts/unknown.js";
import { amountOf, isRare, keyOf } from "../senses.js";
import { superposition, superpositionSvg } from "../parts/superposition.js";
import { sectionHead, wordChips } from "../parts/words.js";
import { wordSearch } from "../parts/search.js";
import { addressOf, goTo } from "../router.js";

const MOST_CARDS = 9; // more are folded
const POOLED = "Each form is weighted by its share of the occurrences.";
const METHODS = [
  { method: "uses", by: undefined, label: "by use", title: "The senses that the uses of the word in the text show" },
  { method: "code", by: "code", label: "paper’s code", title: "The atoms in the sparse code of the word's vector" },
];

export function open(route, { setTitle }) {
  const place = h("div", { class: "page" });
  const update = ({ args: [word], query }) => {
    setTitle(word || "A word");
    fillWhenReady(place, () => (word ? makePage(word, query, setTitle) : askForOne()));
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

async function makePage(word, query, setTitle) {
  const pooled = query.forms === "1";
  const method = query.by === "code" ? "code" : undefined;
  const [about, isEditable] = [await model(), await canEdit()];
  const answer = await ask("word", { word, forms: pooled, model: query.model, method }).catch((error) => error);
  if (answer instanceof Error) {
    if (answer.status !== 404 || !answer.suggestions) throw answer;
    return unknownWord(word, answer, about, query.model);
  }
  if (answer.word !== word) setTitle(answer.word);
  const labels = new Map(answer.senses.map((sense) => [keyOf(sense), sense.label]));
  const places = new Map(answer.senses.map((sense, place) => [keyOf(sense), place]));
  return [
    head(answer, query, about, isEditable && !query.model),
    answer.text && h("blockquote", { class: "item-text" }, answer.text),
    answer.senses.length > 0 && drawing(answer, pooled, query.model),
    senses(answer, query, about),
    answer.forms.length > 1 &&
      h(
        "section",
        {},
        fold("forms", "How the forms differ", () => formsTable(answer, labels, places, query.model), { kind: "large" }),
      ),
    nearest(answer),
  ];
}

function head(answer, query, about, isEditable) {
  const facts = [
    answer.count ? plural(answer.count, "occurrence") : null,
    answer.rank ? `${thing() === "item" ? "item" : "rank"} ${count(answer.rank)} of ${count(about.words)}` : null,
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
      answer.methods.length > 1 && methodSwitch(answer, query),
      answer.forms.length > 1 && formsSwitch(answer, query),
      isEditable && h("a", { class: "button", href: addressOf("pick", answer.word) }, "Pick senses"),
      otherViews(answer.word, about),
    ),
  );
}

function methodSwitch(answer, query) {
  return h(
    "div",
    { class: "segments", role: "group", "aria-label": "Senses" },
    METHODS.map(({ method, by, label, title }) => {
      const href = addressOf("word", answer.word, { ...query, by });
      return h("a", { href, title, "aria-current": method === answer.method ? "true" : null }, label);
    }),
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

function drawing(answer, isPooled, model) {
  const isByUse = answer.method === "uses";
  const rows = () =>
    answer.senses.map(({ sense, atom, share, weight, label }) => ({
      word: answer.word,
      ...(isByUse ? { sense, share } : {}),
      atom,
      weight,
      label,
    }));
  const what = isByUse ? "uses by sense" : "sum of atoms";
  const name = `${answer.word}-${isByUse ? "uses" : "atoms"}`;
  const drawn = answer.senses.filter((sense) => !isRare(sense));
  const titles = isByUse
    ? ["Its uses by sense", "The uses of all forms by sense"]
    : ["The vector as a sum of atoms", "All forms as a sum of atoms"];
  return h(
    "section",
    { "aria-label": what },
    sectionHead(titles[Number(isPooled)], csvButton(name, rows)),
    superposition(answer.word, drawn),
    h("p", { class: "quiet" }, isPooled ? POOLED : isByUse ? howMany(answer) : howNear(answer)),
    h(
      "div",
      { class: "actions" },
      !model && h("a", { href: addressOf("map", { word: answer.word }) }, "These senses on the map"),
      h(
        "span",
        {},
        pictureButtons(name, () => superpositionSvg(answer.word, drawn)),
      ),
    ),
  );
}

function howNear({ word, explained }) {
  return `The cosine of this sum with the vector of “${word}” is ${decimal(explained)}; 1 would be a perfect fit.`;
}

function howMany({ word, senses: found }) {
  const n = found.reduce((sum, { n_occurrences }) => sum + n_occurrences, 0);
  const rest = 1 - found.reduce((sum, { share }) => sum + share, 0);
  const others = rest > 0.005 ? ` The other ${percent(rest)} fit none of them.` : "";
  return `In a sample of the uses of “${word}” in the text, ${plural(n, "use")} have one of these senses.${others}`;
}

function senses(answer, query, about) {
  if (!answer.senses.length) return noSenses(answer);
  const top = Math.max(...answer.senses.map(amountOf));
  const isWord = answer.rank > 0; // sentences of the text are looked for by words alone, not by phrases
  const isSearched = isWord && about.corpus && !about.static && answer.method === "uses";
  const isAwaited = isSearched && !answer.senses.some((sense) => sense.sentences);
  const cards = answer.senses.map((sense, place) =>
    senseCard(sense, { place, top, isAwaited, isMeant: isMeant(sense, query) }),
  );
  const isFolded = (_, place) => isRare(answer.senses[place]) || answer.senses[place].is_general || place >= MOST_CARDS;
  const folded = cards.filter(isFolded);
  const general = answer.senses.filter((sense) => sense.is_general).length;
  const question = { word: answer.word, model: query.model, method: answer.method };
  return h(
    "section",
    {},
    sectionHead(
      `${plural(answer.senses.length - general, "sense")}${answer.method === "uses" ? " by use" : ""}`,
      csvButton(`${answer.word}-senses`, () => senseRows(answer)),
    ),
    isAwaited && searchLine(question, (found) => cards.forEach((card) => addSentences(card, found[card.dataset.key]))),
    h(
      "div",
      { class: "cards" },
      cards.filter((card) => !folded.includes(card)),
    ),
    folded.length > 0 && rarerSenses(folded, folded.length - general, general),
  );
}

/** Whether the link that led here was about this sense. */
const isMeant = (sense, query) => String(sense.atom) === query.atom;

function noSenses({ word, method }) {
  const why =
    method === "uses"
      ? `The text of the model shows too few uses of “${word}”.`
      : `No atom has a positive weight in “${word}”.`;
  return empty("No senses", h("p", {}, why));
}

function rarerSenses(cards, nRare, nGeneral) {
  const rarer = nRare > 0 && plural(nRare, "rarer sense");
  const summary = !rarer ? "General use" : nGeneral ? `${rarer} and the general use` : rarer;
  const open = cards.some((card) => card.classList.contains("meant"));
  return fold("rarer", summary, h("div", { class: "cards" }, cards), { kind: "large rarer", open });
}

function senseRows(answer) {
  return answer.senses.map((sense) => ({
    word: answer.word,
    ...(answer.method === "uses"
      ? { sense: sense.sense, share: sense.share, n_occurrences: sense.n_occurrences, general: sense.is_general }
      : {}),
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
