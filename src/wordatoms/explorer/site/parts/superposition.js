// The superposition as a drawing: a word flows into its senses, each ribbon as wide as its share or weight.

import { h, svg } from "../dom.js";
import { colourOf, lettering, sheet } from "../pictures.js";
import { amountOf, amountPhrase, amountText, hasAtom, isByUse } from "../senses.js";
import { addressOf } from "../router.js";
import { beyondLabel, GENERAL, N_TONES, tone } from "./words.js";

const MOST = 10; // atoms beyond are too thin to see
const ROWS = { wide: 42, narrow: 33 }; // px
const BROADEST = 0.82; // of a row, so that no ribbon overlaps the next
const WIDTH = 100; // of the viewBox; the drawing is stretched to the available width

export function superposition(word, senses) {
  const drawn = senses.slice(0, MOST);
  const row = matchMedia("(max-width: 40rem)").matches ? ROWS.narrow : ROWS.wide;
  const height = row * drawn.length;
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
      ribbons(drawn, row),
    ),
    h(
      "ol",
      { class: "superposition-atoms" },
      drawn.map((sense, place) => term(sense, place, row)),
    ),
    left > 0 && h("figcaption", { class: "quiet" }, `and ${left} lighter ${left === 1 ? "sense" : "senses"}`),
  );
}

const spoken = (sense) => `${amountPhrase(sense)} ${isByUse(sense) ? "in the sense" : "times"} ${sense.label}`;

function term(sense, place, row) {
  return h(
    "li",
    { style: { height: `${row}px`, ...(sense.is_general ? GENERAL : tone(place)) } },
    h("span", { class: "number" }, amountText(sense)),
    hasAtom(sense)
      ? h("a", { href: addressOf("atom", sense.atom) }, sense.label)
      : h("span", { class: "label" }, sense.label),
    !sense.is_general && h("span", { class: "quiet more" }, beyondLabel(sense.label, sense.nearest, 5).join(", ")),
  );
}

/** From one stacked bar at the left to separate rows at the right. */
function ribbons(senses, row) {
  const height = row * senses.length;
  const total = senses.reduce((sum, sense) => sum + amountOf(sense), 0);
  const heaviest = Math.max(...senses.map(amountOf));
  const scale = Math.min((height * 0.8) / total, (BROADEST * row) / heaviest);
  let start = (height - total * scale) / 2;
  return senses.map((sense, place) => {
    const breadth = Math.max(amountOf(sense) * scale, 1);
    const path = ribbon(start, row * (place + 0.5) - breadth / 2, breadth);
    start += breadth;
    return svg("path", { d: path, class: "ribbon", style: sense.is_general ? GENERAL : tone(place) });
  });
}

const SHEET = { row: 42, margin: 24, word: 150, ribbons: 300, labels: 470 };

/** The same as one picture, to be saved. */
export function superpositionSvg(word, senses) {
  const drawn = senses.slice(0, MOST);
  const { row, margin, ribbons: breadth, labels } = SHEET;
  const [ink, quiet] = [colourOf("--ink"), colourOf("--quiet")];
  const left = Math.max(SHEET.word, 16 * word.length + 2 * margin);
  const height = row * drawn.length;
  const paths = ribbons(drawn, row).map((path, place) => {
    const name = drawn[place].is_general ? "--quiet" : `--tone-${place % N_TONES}`;
    return svg("path", { d: path.getAttribute("d"), fill: colourOf(name), "fill-opacity": 0.82 });
  });
  const lines = drawn.flatMap((sense, place) => {
    const at = { x: left + breadth + 16, y: margin + row * (place + 0.5) };
    const amount = lettering(amountText(sense), { ...at, size: 15, weight: 600, fill: quiet });
    return [amount, lettering(sense.label, { ...at, x: at.x + 56, size: 17, fill: ink, font: "serif" })];
  });
  return sheet(
    left + breadth + labels,
    height + 2 * margin,
    lettering(word, {
      x: left - 16,
      y: margin + height / 2,
      size: 26,
      weight: 600,
      fill: ink,
      font: "serif",
      anchor: "end",
    }),
    svg("g", { transform: `translate(${left} ${margin}) scale(${breadth / WIDTH} 1)` }, paths),
    lines,
  );
}

function ribbon(from, to, breadth) {
  const half = WIDTH / 2;
  const there = `M0 ${from} C${half} ${from} ${half} ${to} ${WIDTH} ${to}`;
  const back = `V${to + breadth} C${half} ${to + breadth} ${half} ${from + breadth} 0 ${from + breadth} Z`;
  return `${there} ${back}`;
}
