// Elements that several views use: words, bars, headings, tables.

import { h } from "../dom.js";
import { decimal } from "../numbers.js";
import { addressOf } from "../router.js";

export const N_TONES = 10;
/** The colour of the sense with this place in a list. */
export const tone = (place) => ({ "--tone": `var(--tone-${place % N_TONES})` });

/** The colour of the general use. */
export const GENERAL = { "--tone": "var(--quiet)" };

/** Words as links, each underlined in proportion to its number. */
export function wordChips(items, { value = "similarity", atom } = {}) {
  const top = Math.max(...items.map((item) => item[value]), 1e-9);
  return h(
    "ul",
    { class: "chips", role: "list" },
    items.map((item) => h("li", {}, wordChip(item.word, item[value], item[value] / top, value, atom))),
  );
}

function wordChip(word, number, share, name, atom) {
  return h(
    "a",
    {
      class: "chip measured",
      href: addressOf("word", word, { atom }),
      title: `${name} ${decimal(number)}`,
      style: { "--share": Math.max(share, 0.04) },
    },
    word,
  );
}

/** A horizontal bar; `share` of 1 fills it. */
export function bar(share, label) {
  return h("span", {
    class: "bar",
    role: "img",
    "aria-label": label,
    style: { "--share": Math.max(0, Math.min(1, share)) },
  });
}

/** A heading with buttons at its end. */
export function sectionHead(title, ...actions) {
  return h("div", { class: "section-head" }, h("h2", {}, title), h("div", { class: "actions" }, ...actions));
}

/** The links of one atom. */
export function atomLinks(atom, label = "") {
  return [
    h("a", { href: addressOf("atom", atom) }, label ? `${label} (atom ${atom})` : `atom ${atom}`),
    h("a", { href: addressOf("map", "atom", atom) }, "on the map"),
  ];
}

/** The nearest words that the label does not contain already. */
export function beyondLabel(label, nearest, n) {
  const named = label.split(", ");
  return nearest.flatMap(({ word }) => (named.includes(word) ? [] : [word])).slice(0, n);
}

/** The first words of a label, for narrow places. */
export const shortLabel = (label, n = 1) => label.split(", ").slice(0, n).join(", ");

/** A table that scrolls by itself where it is too wide; `heads` are cells, `rows` are rows. */
export function dataTable(kind, label, heads, rows) {
  const table = h("table", { class: kind }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table);
}

/** The head of a column. */
export const columnHead = (content, props = {}) => h("th", { scope: "col", ...props }, content);
