// The senses of the inflected forms: a table of forms by atoms.

import { ask } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { count, decimal } from "../numbers.js";
import { addressOf } from "../router.js";
import { columnHead, dataTable, sectionHead, shortLabel, tone } from "./words.js";

/** `labels` and `places` belong to the senses shown; the labels of other atoms are taken from the map. */
export async function formsTable(answer, labels, places) {
  const atoms = atomsOf(answer.forms, places);
  const names = await namesOf(atoms, labels);
  const top = Math.max(...answer.forms.flatMap((each) => each.atoms.map(([, weight]) => weight)));
  const rows = atoms.map((atom) => row(atom, names.get(atom), answer, top, places.get(atom)));
  const save = csvButton(`${answer.word}-forms`, () => rowsOf(answer.forms, atoms, names));
  return [
    sectionHead("How the forms differ", save),
    h("p", { class: "quiet" }, "The weight of each atom in the vector of each form."),
    dataTable("forms", "Forms and their atoms", [columnHead("Atom"), answer.forms.map(formHead)], rows),
  ];
}

/** Atoms in the order of the senses, then the others by their greatest weight. */
function atomsOf(forms, places) {
  const greatest = new Map();
  for (const { atoms } of forms)
    for (const [atom, weight] of atoms) greatest.set(atom, Math.max(weight, greatest.get(atom) ?? 0));
  const order = (atom) => places.get(atom) ?? places.size + 1 - greatest.get(atom);
  return [...greatest.keys()].sort((one, other) => order(one) - order(other));
}

async function namesOf(atoms, labels) {
  if (atoms.every((atom) => labels.has(atom))) return labels;
  const all = (await ask("atoms")).atoms;
  return new Map(atoms.map((atom) => [atom, labels.get(atom) ?? all[atom]?.[4] ?? `atom ${atom}`]));
}

function formHead({ form, count: n }) {
  return columnHead([h("a", { href: addressOf("word", form) }, form), h("small", {}, count(n ?? 0))]);
}

function row(atom, name, answer, top, place) {
  const cells = answer.forms.map(({ atoms }) => cell(atoms.find(([id]) => id === atom)?.[1], top));
  return h(
    "tr",
    { style: place === undefined ? {} : tone(place) },
    h("th", { scope: "row" }, h("a", { href: addressOf("atom", atom), title: name }, shortLabel(name, 2))),
    cells,
  );
}

function cell(weight, top) {
  if (weight === undefined) return h("td", { class: "none" }, "·");
  return h("td", { style: { "--share": Math.max(weight / top, 0) } }, h("span", {}, decimal(weight)));
}

function rowsOf(forms, atoms, names) {
  return atoms.map((atom) => ({
    atom,
    label: names.get(atom),
    ...Object.fromEntries(forms.map(({ form, atoms: own }) => [form, own.find(([id]) => id === atom)?.[1] ?? 0])),
  }));
}
