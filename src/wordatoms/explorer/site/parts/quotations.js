// Sentences of the corpus for each sense. Finding them takes a while; the page polls until they are there.

import { askAgain } from "../api.js";
import { h, put } from "../dom.js";
import { asSentence, percent } from "../numbers.js";
import { addressOf } from "../router.js";

const EVERY = 800; // ms between questions

/** Sentences of one sense. */
export function quotations(found) {
  return found.map(quotation);
}

function quotation({ text, start, end, source, line, probability }) {
  const where = source && (line ? `${source}, line ${line}` : source);
  return h(
    "figure",
    { class: "quotation" },
    h(
      "blockquote",
      {},
      h(
        "a",
        { href: addressOf("sentence", text), title: "Which senses are meant here?" },
        [text.slice(0, start), h("mark", {}, text.slice(start, end)), text.slice(end)],
      ),
    ),
    h("figcaption", {}, [where, probability && percent(probability)].filter(Boolean).join(" · ")),
  );
}

/** A line with the progress of the search; calls `show(senses)` when it is done, and stops when the page is left. */
export function searchLine(question, show) {
  const line = h("p", { class: "quiet", role: "status" });
  watch(line, question, show).catch((error) => put(line, asSentence(error.message)));
  return line;
}

async function watch(line, question, show) {
  for (let isFirst = true; isFirst || line.isConnected; isFirst = false) {
    const { state, share, message, senses } = await askAgain("sentences", question);
    const remarks = {
      reading: `Searching the corpus for “${question.word}” … ${percent(share)}`,
      failed: asSentence(message ?? ""),
    };
    put(line, remarks[state] ?? "");
    if (state === "ready") show(senses);
    if (state !== "reading") return;
    await new Promise((resolve) => setTimeout(resolve, EVERY));
  }
}
