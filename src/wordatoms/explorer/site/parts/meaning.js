// One word in its context: the probability of each sense, and the pull of each context word.

import { h } from "../dom.js";
import { percent, plural, signed } from "../numbers.js";
import { addressOf } from "../router.js";
import { hasAtom, keyOf } from "../senses.js";
import { bar, beyondLabel, columnHead, dataTable, shortLabel, tone } from "./words.js";

const VAGUE = "The words around it say too little; these are the shares of the uses.";
const MOST_SENSES = 6;
const COLUMNS = 4;
const LEAST_PULL = 0.05; // in log p; less is not worth a row

/** The senses by probability; choosing one calls `choose` with its place. */
export function posterior(answer, choose) {
  const shown = answer.meanings.slice(0, MOST_SENSES);
  const left = answer.meanings.slice(MOST_SENSES);
  const rows = shown.map((meaning, place) => row(meaning, place, choose));
  if (answer.none) {
    const likelier = shown.filter(({ probability }) => probability >= answer.none[0]);
    rows.splice(likelier.length, 0, noneRow(answer));
  }
  return h(
    "fieldset",
    { class: "posterior" },
    h(
      "legend",
      { class: "quiet" },
      "Its senses here; the thin line marks the probability without the context. ",
      "Choose a sense to shade the words that pull towards it.",
    ),
    answer.verdict === "not enough context" &&
      h("p", { class: "verdict" }, h("strong", {}, "Not enough context. "), VAGUE),
    rows,
    left.length > 0 &&
      h(
        "p",
        { class: "quiet" },
        `${left.length} more, together ${percent(left.reduce((sum, each) => sum + each.probability, 0))}.`,
      ),
  );
}

function row(meaning, place, choose) {
  return h(
    "label",
    { class: "meaning", style: tone(place), "data-atom": meaning.atom, "data-key": keyOf(meaning) },
    h("input", { type: "radio", name: "meaning", checked: place === 0, onchange: () => choose(place) }),
    h(
      "span",
      { class: "what" },
      h("strong", {}, meaning.label),
      h(
        "small",
        {},
        beyondLabel(meaning.label, meaning.nearest, 7).join(", "),
        hasAtom(meaning) && [" · ", h("a", { href: addressOf("atom", meaning.atom) }, `atom ${meaning.atom}`)],
      ),
    ),
    gauge(meaning.probability, meaning.prior),
  );
}

/** A bar with a line where it would end without the context, and its number. */
function gauge(probability, prior) {
  return [
    h(
      "span",
      { class: "gauge", style: { "--prior": prior } },
      bar(probability, percent(probability)),
      h("i", { title: `without the context ${percent(prior)}` }),
    ),
    h("span", { class: "number" }, percent(probability)),
  ];
}

/** "None of these" among the senses. */
function noneRow({ none: [probability, prior] }) {
  return h(
    "div",
    { class: "meaning none" },
    h("span", { class: "mark", "aria-hidden": "true" }, "∅"),
    h("span", { class: "what" }, h("strong", {}, "none of these"), h("small", {}, "a sense the model does not know")),
    gauge(probability, prior),
  );
}

/** The answer with the probabilities that our reading and the encoder give together, likeliest first. */
export function together(answer) {
  const { together, none } = answer.encoder;
  const meanings = answer.meanings.map((meaning, place) => ({ ...meaning, probability: together[place] }));
  meanings.sort((one, other) => other.probability - one.probability);
  return { ...answer, meanings, none: answer.none && [none, answer.none[1]] };
}

/** What each side says about the senses. */
export function encoderTable({ meanings, encoder, form }) {
  return h(
    "section",
    {},
    h("h2", {}, `What each side says about “${form}”`),
    dataTable(
      "sides",
      "Sides",
      [columnHead("Sense"), columnHead("ours"), columnHead("encoder"), columnHead("together")],
      meanings
        .slice(0, MOST_SENSES)
        .map(({ label, probability }, place) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, label),
            [probability, encoder.alone[place], encoder.together[place]].map((p) =>
              h("td", { class: "number" }, percent(p)),
            ),
          ),
        ),
    ),
  );
}

/** Context words by senses: bars to the right pull towards the sense, to the left away from it. */
export function pullsTable(answer) {
  const senses = answer.meanings.slice(0, COLUMNS);
  const strength = ({ pulls }) => Math.max(...senses.map((sense) => Math.abs(pulls[keyOf(sense)] ?? 0)));
  const ranked = [...answer.pulls].sort((one, other) => strength(other) - strength(one));
  const shown = ranked.filter((each) => strength(each) >= LEAST_PULL);
  const top = ranked.length ? strength(ranked[0]) : 1;
  const heads = senses.map(({ label }, place) =>
    columnHead(shortLabel(label, 2), { style: tone(place), title: label }),
  );
  const left = ranked.length - shown.length;
  return [
    h("p", { class: "quiet" }, "In log p: bars to the right speak for the sense, bars to the left against it."),
    dataTable(
      "pulls",
      "Pulls",
      [columnHead("Word"), heads],
      shown.map((each) => pullRow(each, senses, top)),
    ),
    left > 0 && h("p", { class: "quiet" }, `${plural(left, "other word")} with almost no pull.`),
  ];
}

function pullRow({ word, pulls }, senses, top) {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, word),
    senses.map((sense, place) => pullCell(pulls[keyOf(sense)] ?? 0, top, place)),
  );
}

function pullCell(pull, top, place) {
  const lean = h("div", { class: `lean ${pull > 0 ? "for" : "against"}`, style: { "--share": Math.abs(pull) / top } });
  return h("td", { style: tone(place) }, h("div", { class: "pull" }, h("span", {}, signed(pull)), lean));
}
