// Sentences for each sense: those of the model, and those of a corpus, which are searched for while the page is read.

import { askAgain } from "../api.js";
import { h, put } from "../dom.js";
import { asSentence, percent, plural } from "../numbers.js";
import { addressOf } from "../router.js";

const EVERY = 800; // ms between questions
const SHORT = 120; // letters of a sentence that is not cut
const AROUND = 55; // letters on each side of the word that are left of a longer one

/** Whole sentences of one sense. */
export const quotations = (found) => found.map((each) => quotation(each, each));

/** The part of a sentence around the word, for the card. */
export const shortQuotation = (found) => quotation(excerptOf(found), found);

function quotation({ text, start, end }, whole) {
  const caption = captionOf(whole);
  return h(
    "figure",
    { class: "quotation" },
    h(
      "blockquote",
      {},
      h("a", { href: addressOf("sentence", whole.text), title: "Which senses are meant here?" }, [
        text.slice(0, start),
        h("mark", {}, text.slice(start, end)),
        text.slice(end),
      ]),
    ),
    caption && h("figcaption", {}, caption),
  );
}

/** Where a sentence comes from; `of` says that it comes with the model. */
function captionOf({ of, word, source, line, probability }) {
  if (of === "atom") return `An example of the atom, with “${word}”`;
  if (of) return "Written for this sense";
  const where = source && (line ? `${source}, line ${line}` : source);
  return [where, probability && percent(probability)].filter(Boolean).join(" · ");
}

/** The part of a text around a word, and its place there. */
export function excerptOf({ text, start, end }) {
  if (text.length <= SHORT) return { text, start, end };
  const from = start > AROUND ? text.indexOf(" ", start - AROUND) + 1 : 0;
  const first = from > start ? start : from;
  const to = end + AROUND < text.length ? text.lastIndexOf(" ", end + AROUND) : text.length;
  const last = to < end ? end : to;
  const [before, after] = [first > 0 ? "… " : "", last < text.length ? " …" : ""];
  const shift = before.length - first;
  return { text: `${before}${text.slice(first, last)}${after}`, start: start + shift, end: end + shift };
}

/** A line with the progress of the search; calls `show(senses)` when it is done, and stops when the page is left. */
export function searchLine(question, show) {
  const line = h("p", { class: "quiet search-line", role: "status" }, "Searching the text …");
  watch(line, question, show).catch((error) => put(line, asSentence(error.message)));
  return line;
}

async function watch(line, question, show) {
  for (let isFirst = true; isFirst || line.isConnected; isFirst = false) {
    const { state, share, message, senses } = await askAgain("sentences", question);
    const n = Object.values(senses).reduce((sum, found) => sum + found.length, 0);
    const remarks = {
      reading: `Searching the text for “${question.word}” … ${percent(share)}`,
      failed: asSentence(message ?? ""),
      ready: n ? `${plural(n, "sentence")} of the text ${n === 1 ? "shows" : "show"} these senses.` : NOTHING,
    };
    put(line, remarks[state] ?? "");
    if (state === "ready") show(senses);
    if (state !== "reading") return;
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
}

const NOTHING = "No sentence of the text shows one of these senses clearly.";
