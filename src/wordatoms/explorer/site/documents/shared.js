// What the pages of the Documents view share: numbers, groups and their colours, links, the field for a search.

import { ask } from "../api.js";
import { h } from "../dom.js";
import { plural, signed } from "../numbers.js";
import { N_TONES, tone } from "../parts/words.js";
import { addressOf, goTo } from "../router.js";

export const facts = () => ask("documents");

/** A share with two digits that count: 12%, 3.1%, 0.04%. */
export function share(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0%";
  const digits = Math.max(0, 1 - Math.floor(Math.log10(100 * Math.abs(value))));
  return `${(100 * value).toFixed(Math.min(digits, 2)).replace("-", "−")}%`;
}

/** A difference of shares, in percentage points. */
export function points(value) {
  const digits = value === 0 ? 0 : Math.max(0, 1 - Math.floor(Math.log10(100 * Math.abs(value))));
  return `${signed(100 * value, Math.min(digits, 2))} pp`;
}

export const interval = ({ low, high }) => (low === null || high === null ? "" : `${share(low)} to ${share(high)}`);

/** The colour of a group; of many groups, several have the same. */
export const groupTone = (group) => tone(group % N_TONES);

export const groupName = ({ groups, by }, group) => (group === null ? `no ${by}` : groups[group]);

/** What is known of a document besides its name: its group, its period, its length. */
export function documentNote(collection, { group, period, words }) {
  const known = [
    collection.groups.length > 0 && groupName(collection, group),
    period !== null && collection.periods[period].name,
    words !== undefined && plural(words, "known word"),
  ];
  return known.filter(Boolean).join(" · ");
}

export const topicAddress = (level, place) => addressOf("documents", "topic", level, place);
export const documentAddress = (document, level) => addressOf("documents", "document", document, { level });

/** The level to show if the address names none: the coarsest one. */
export const levelOf = ({ levels }, given) =>
  levels.some(({ level }) => level === given) ? given : levels.at(-1).level;

const LEVEL_NAMES = { atoms: "Atoms", meta: "Meta-atoms", regions: "Regions" };

/** Links to the levels of topics, the coarsest first. */
export function levelLinks({ levels }, current, addressFor) {
  if (levels.length < 2) return null;
  const link = ({ level }) =>
    h("a", { href: addressFor(level), "aria-current": level === current && "true" }, LEVEL_NAMES[level] ?? level);
  return h("nav", { class: "segments", "aria-label": "What a topic is" }, levels.map(link).reverse());
}

/** The way back to the overview. */
export const homeLink = (level) =>
  h("p", { class: "quiet" }, h("a", { href: addressOf("documents", { level }) }, "← All topics"));

export function searchForm(value = "", group = "") {
  const field = h("input", {
    type: "search",
    name: "q",
    "aria-label": "Words to find in the documents",
    placeholder: "Find documents with these words …",
    value,
    maxlength: 500,
  });
  const submit = (event) => {
    event.preventDefault();
    if (field.value.trim()) goTo(addressOf("documents", "search", { q: field.value.trim(), group }));
  };
  return h(
    "form",
    { class: "documents-search", role: "search", "aria-label": "Documents", onsubmit: submit },
    field,
    h("button", { class: "main" }, "Search"),
  );
}

/** A legend of the groups by their colours. */
export function groupLegend({ groups, by }) {
  if (groups.length < 2) return null;
  const entry = (name, place) => h("li", {}, h("span", { class: "dot", style: groupTone(place) }), name);
  return h("ul", { class: "group-legend", role: "list", "aria-label": by }, groups.map(entry));
}

/** A text with some of its places marked; `places` are pairs of beginning and end, in order. */
export function marked(text, places) {
  const parts = [];
  let at = 0;
  for (const [begin, end] of places) {
    if (begin < at) continue;
    parts.push(text.slice(at, begin), h("mark", {}, text.slice(begin, end)));
    at = end;
  }
  return [...parts, text.slice(at)];
}
