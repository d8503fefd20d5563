// One word in two models side by side: the senses they share, and those that only one of them has.

import { ask, model } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { decimal, plural } from "../numbers.js";
import { senseHead } from "../parts/sense.js";
import { empty, fillWhenReady } from "../parts/states.js";
import { wordSearch } from "../parts/search.js";
import { sectionHead, tone, wordChips } from "../parts/words.js";
import { addressOf, goTo } from "../router.js";
import { amountOf, keyOf } from "../senses.js";

const EXAMPLE = "tie";
const N_WORDS = 8;

export function open(route, { setTitle }) {
  const place = h("div", { class: "page" });
  const update = ({ args: [word], query }) => {
    setTitle(word ? `${word} in two models` : "Compare");
    fillWhenReady(place, () => makePage(word, query.model));
    return true;
  };
  update(route);
  return { element: place, update };
}

async function makePage(word, wanted) {
  const { models, name } = await model();
  if (models.length < 2) return onlyOne(name);
  const other = wanted ?? models.find((each) => each !== name);
  const content = h("div");
  if (word) fillWhenReady(content, async () => comparison(await ask("compare", { word, model: other })));
  return [
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, word ?? "Two models, one word"),
      h("p", { class: "quiet" }, `Its senses in “${name}” and in “${other}”`),
    ),
    chooser(
      word,
      models.filter((each) => each !== name),
      other,
    ),
    word
      ? content
      : empty(
          "Which word?",
          h(
            "p",
            {},
            "For example ",
            h("a", { class: "chip", href: addressOf("compare", EXAMPLE, { model: other }) }, EXAMPLE),
          ),
        ),
  ];
}

function onlyOne(name) {
  return [h("header", { class: "page-head" }, h("h1", {}, "Two models, one word")), onlyOneModel(name)];
}

function onlyOneModel(name) {
  return empty(
    "There is only one model",
    h("p", {}, `To compare “${name}” with another model, start the server with both:`),
    h("p", {}, h("code", {}, "wordatoms explore --with MODEL")),
  );
}

function chooser(word, models, other) {
  const choose = (event) => goTo(addressOf("compare", ...(word ? [word] : []), { model: event.target.value }));
  return h(
    "div",
    { class: "compare-form" },
    wordSearch({
      value: word ?? "",
      to: (chosen) => addressOf("compare", chosen, { model: other }),
      label: "The word to compare",
    }),
    models.length > 1 &&
      h(
        "label",
        {},
        "with the model",
        h(
          "select",
          { onchange: choose },
          models.map((each) => h("option", { value: each, selected: each === other }, each)),
        ),
      ),
  );
}

function comparison(answer) {
  const sides = answer.senses.map((senses) => new Map(senses.map((sense) => [keyOf(sense), sense])));
  const top = Math.max(...answer.senses.flat().map(amountOf), 1e-9);
  const pairs = answer.pairs.filter((pair) => pair.first !== null && pair.second !== null);
  const only = ["first", "second"].map((side, k) => onlyIn(answer, side, k, sides[k], top, pairs.length));
  const save = csvButton(`${answer.word}-compared`, () => rowsOf(answer, ...sides));
  return [
    answer.known?.map((isKnown, k) => !isKnown && unknown(answer.word, answer.models[k])),
    h("section", {}, sectionHead(plural(pairs.length, "shared sense"), save), pairsOf(answer, pairs, sides, top)),
    h("section", {}, h("div", { class: "two" }, only)),
    h(
      "section",
      {},
      sectionHead("Nearest words to the whole vector"),
      h(
        "div",
        { class: "two" },
        answer.models.map((name, k) => nearest(answer, name, k)),
      ),
    ),
  ];
}

function pairsOf({ models }, pairs, sides, top) {
  if (!pairs.length) return null;
  const heads = [h("h3", {}, models[0]), h("span"), h("h4", {}, models[1])];
  return h(
    "div",
    { class: "pairs" },
    heads,
    pairs.map((pair, place) => drawPair(pair, place, sides, top)),
  );
}

function nearest(answer, name, k) {
  const words = answer.nearest[k];
  return h("div", {}, h("h3", {}, name), words.length ? wordChips(words) : unknown(answer.word, name));
}

function drawPair(pair, place, [first, second], top) {
  const link = h(
    "div",
    { class: "tie", style: { ...tone(place), "--share": pair.similarity }, title: "Similarity of the two senses" },
    decimal(pair.similarity),
  );
  return [card(first.get(pair.first), place, top), link, card(second.get(pair.second), place, top)];
}

/** Senses without a counterpart in the other model. */
function onlyIn(answer, side, k, senses, top, nShared) {
  const alone = answer.pairs.filter((pair) => pair[side] !== null && pair[["second", "first"][k]] === null);
  return h(
    "div",
    { class: "only" },
    h("h2", {}, `Only in ${answer.models[k]}`),
    alone.length
      ? alone.map((pair, place) => card(senses.get(pair[side]), nShared + place, top))
      : h("p", { class: "quiet" }, "None."),
  );
}

function card(sense, place, top) {
  return h(
    "article",
    { class: "card sense compared", style: tone(place), "data-atom": sense.atom },
    senseHead(sense, top),
    wordChips(sense.nearest.slice(0, N_WORDS)),
  );
}

const unknown = (word, name) => h("p", { class: "quiet" }, `“${word}” is not in ${name}.`);

function rowsOf(answer, first, second) {
  const side = (sense, name) => ({
    [`${name}_atom`]: sense?.atom,
    [`${name}_share`]: sense?.share,
    [`${name}_weight`]: sense?.weight,
    [`${name}_label`]: sense?.label,
  });
  return answer.pairs.map((pair) => ({
    word: answer.word,
    ...side(first.get(pair.first), answer.models[0]),
    ...side(second.get(pair.second), answer.models[1]),
    similarity: pair.similarity,
  }));
}
