// Sentences of the corpus for each sense. Finding them takes a while; the page polls until they are there.

import { askAgain } from "../api.js";
import { h, put } from "../dom.js";
import { asSentence, percent } from "../numbers.js";
import { addressOf } from "../router.js";

const EVERY = 800; // ms between questions

/** Sentences of one sense. */
export function quotations(found, word) {
  return found.map((each) => quotation(each, word));
}

function quotation({ text, source, line, probability }, word) {
  const where = source && (line ? `${source}, line ${line}` : source);
  return h(
    "figure",
    { class: "quotation" },
    h(
      "blockquote",
      {},
      h("a", { href: addressOf("sentence", text), title: "Which senses are meant here?" }, marked(text, word)),
    ),
    h("figcaption", {}, [where, probability && percent(probability)].filter(Boolean).join(" · ")),
  );
}

/** The text with the word highlighted. */
function marked(text, word) {
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(${escaped(word)})(?![\\p{L}\\p{N}])`, "giu");
  return text.split(found).map((piece, k) => (k % 2 ? h("mark", {}, piece) : piece));
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A line with the progress of the search; calls `show(senses)` when it is done, and stops when the page is left. */
export function searchLine(word, model, show) {
  const line = h("p", { class: "quiet", role: "status" });
  watch(line, word, model, show).catch((error) => put(line, asSentence(error.message)));
  return line;
}

async function watch(line, word, model, show) {
  for (let isFirst = true; isFirst || line.isConnected; isFirst = false) {
    const { state, share, message, senses } = await askAgain("sentences", { word, model });
    const remarks = {
      reading: `Searching the corpus for “${word}” … ${percent(share)}`,
      failed: asSentence(message ?? ""),
    };
    put(line, remarks[state] ?? "");
    if (state === "ready") show(senses);
    if (state !== "reading") return;
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
}
