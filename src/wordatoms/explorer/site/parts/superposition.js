// The superposition as a drawing: a word flows into its senses, each ribbon as wide as its share or weight.

import { h, svg } from "../dom.js";
import { amountOf, amountPhrase, amountText, hasAtom, isByUse } from "../senses.js";
import { addressOf } from "../router.js";
import { beyondLabel, GENERAL, tone } from "./words.js";

const MOST = 10; // atoms beyond are too thin to see
const ROW = 46;
const BROADEST = 38; // so that no ribbon overlaps the next
const WIDTH = 100; // of the viewBox; the drawing is stretched to the available width

export function superposition(word, senses) {
  const drawn = senses.slice(0, MOST);
  const height = ROW * drawn.length;
  const left = senses.length - drawn.length;
  return h(
    "figure",
    {
      class: "superposition",
      "aria-label": `${word} is ${drawn.map(spoken).join(", plus ")}`,
    },
    h("div", { class: "superposition-word" }, word),
    svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${height}`, height, preserveAspectRatio: "none", "aria-hidden": "true" },
      ribbons(drawn, height),
    ),
    h("ol", { class: "superposition-atoms" }, drawn.map(term)),
    left > 0 && h("figcaption", { class: "quiet" }, `and ${left} lighter ${left === 1 ? "sense" : "senses"}`),
  );
}

const spoken = (sense) => `${amountPhrase(sense)} ${isByUse(sense) ? "in the sense" : "times"} ${sense.label}`;

function term(sense, place) {
  return h(
    "li",
    { style: { height: `${ROW}px`, ...(sense.is_general ? GENERAL : tone(place)) } },
    h("span", { class: "number" }, amountText(sense)),
    hasAtom(sense)
      ? h("a", { href: addressOf("atom", sense.atom) }, sense.label)
      : h("span", { class: "label" }, sense.label),
    !sense.is_general &&
      h(
        "span",
        { class: "quiet more" },
        beyondLabel(sense.label, sense.nearest, 5).join(", "),
      ),
  );
}

/** From one stacked bar at the left to separate rows at the right. */
function ribbons(senses, height) {
  const total = senses.reduce((sum, sense) => sum + amountOf(sense), 0);
  const heaviest = Math.max(...senses.map(amountOf));
  const scale = Math.min((height * 0.8) / total, BROADEST / heaviest);
  let start = (height - total * scale) / 2;
  return senses.map((sense, place) => {
    const breadth = Math.max(amountOf(sense) * scale, 1);
    const path = ribbon(start, ROW * (place + 0.5) - breadth / 2, breadth);
    start += breadth;
    return svg("path", { d: path, class: "ribbon", style: sense.is_general ? GENERAL : tone(place) });
  });
}

function ribbon(from, to, breadth) {
  const half = WIDTH / 2;
  const there = `M0 ${from} C${half} ${from} ${half} ${to} ${WIDTH} ${to}`;
  const back = `V${to + breadth} C${half} ${to + breadth} ${half} ${from + breadth} 0 ${from + breadth} Z`;
  return `${there} ${back}`;
}
