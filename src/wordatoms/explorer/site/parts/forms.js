// The senses of the inflected forms: a table of forms by senses, or by the atoms of their codes.

import { ask } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { count, decimal, percent } from "../numbers.js";
import { addressOf } from "../router.js";
import { columnHead, dataTable, GENERAL, shortLabel, tone } from "./words.js";

const KINDS = {
  code: {
    title: "Atom",
    note: "The weight of each atom in the vector of each form.",
    pairs: ({ atoms }) => atoms,
    format: decimal,
    address: (atom) => addressOf("atom", atom),
    findNames: async (_answer, atoms) => {
      const all = (await ask("atoms")).atoms;
      return new Map(atoms.map((atom) => [atom, all[atom]?.[4] ?? `atom ${atom}`]));
    },
  },
  uses: {
    title: "Sense",
    note: "The share of each sense in the uses of each form.",
    pairs: ({ uses }) => uses,
    format: percent,
    address: () => null,
    findNames: async ({ word }, _senses, model) => {
      const { senses } = await ask("word", { word, forms: true, model });
      return new Map(senses.map(({ sense, label }) => [sense, label]));
    },
  },
};

/** `labels` and `places` belong to the senses shown, by their keys; the labels of others are asked for. */
export async function formsTable(answer, labels, places, model) {
  const kind = KINDS[answer.method];
  const keys = keysOf(answer.forms, places, kind);
  const names = await namesOf(answer, keys, labels, kind, model);
  const shown = keys.filter((key) => names.has(key));
  const top = Math.max(...answer.forms.flatMap((each) => kind.pairs(each).map(([, amount]) => amount)));
  const rows = shown.map((key) => row(key, names.get(key), answer, top, places.get(key), kind));
  const save = csvButton(`${answer.word}-forms`, () => rowsOf(answer.forms, shown, names, kind));
  return [
    h("div", { class: "section-head" }, h("p", { class: "quiet" }, kind.note), save),
    dataTable("forms", "Forms and their senses", [columnHead(kind.title), answer.forms.map(formHead)], rows),
  ];
}

/** In the order of the senses shown, then the others by their greatest amount. */
function keysOf(forms, places, { pairs }) {
  const greatest = new Map();
  for (const form of forms)
    for (const [key, amount] of pairs(form)) greatest.set(key, Math.max(amount, greatest.get(key) ?? 0));
  const order = (key) => places.get(key) ?? places.size + 1 - greatest.get(key);
  return [...greatest.keys()].sort((one, other) => order(one) - order(other));
}

async function namesOf(answer, keys, labels, kind, model) {
  if (keys.every((key) => labels.has(key))) return labels;
  return new Map([...(await kind.findNames(answer, keys, model)), ...labels]);
}

function formHead({ form, count: n }) {
  return columnHead([h("a", { href: addressOf("word", form) }, form), h("small", {}, count(n ?? 0))]);
}

function row(key, name, answer, top, place, kind) {
  const cells = answer.forms.map((form) => cell(kind.pairs(form).find(([id]) => id === key)?.[1], top, kind));
  const address = kind.address(key);
  const title = address ? h("a", { href: address, title: name }, shortLabel(name, 2)) : shortLabel(name, 2);
  const isGeneral = answer.senses[place]?.is_general;
  const style = place === undefined ? {} : isGeneral ? GENERAL : tone(place);
  return h("tr", { style }, h("th", { scope: "row", title: name }, title), cells);
}

function cell(amount, top, { format }) {
  if (amount === undefined) return h("td", { class: "none" }, "·");
  return h("td", { style: { "--share": Math.max(amount / top, 0) } }, h("span", {}, format(amount)));
}

function rowsOf(forms, keys, names, { pairs, title }) {
  return keys.map((key) => ({
    [title.toLowerCase()]: key,
    label: names.get(key),
    ...Object.fromEntries(forms.map((form) => [form.form, pairs(form).find(([id]) => id === key)?.[1] ?? 0])),
  }));
}
