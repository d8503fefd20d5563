// What can be laid over the map: how much documents are about each atom, or which atoms another model has too.

import { ask, model } from "../api.js";
import { points as inPoints, share } from "../documents/shared.js";
import { h } from "../dom.js";
import { count, decimal } from "../numbers.js";
import { TONES } from "./painter.js";

const LEAST_ALIKE = 0.5; // less similar atoms are no counterparts, as where the senses of a word are compared
const SIZES = { least: 0.9, most: 9, shared: 3.2 }; // radii before the map grows

/** The overlays of this explorer by their names in the address; none if it has neither documents nor a second model. */
export async function findOverlays() {
  const { features, models, name } = await model();
  const found = new Map();
  if (features.includes("documents")) {
    const collection = await ask("documents");
    found.set("documents", { title: `All of ${collection.source}`, make: () => ofDocuments(collection, null) });
    if (collection.groups.length > 1)
      collection.groups.forEach((group, place) =>
        found.set(`group-${place}`, { title: `${group} less all others`, make: () => ofDocuments(collection, place) }),
      );
  }
  if (features.includes("comparison"))
    for (const other of models.filter((each) => each !== name))
      found.set(`model-${other}`, { title: `Also in “${other}”`, make: () => ofModel(other) });
  return found;
}

/** The field that chooses one of them; `choose` is called with its name, or with nothing. */
export function overlayChoice(overlays, choose) {
  if (!overlays.size) return null;
  return h(
    "select",
    { class: "overlay", "aria-label": "What the discs show", onchange: (event) => choose(event.target.value) },
    h("option", { value: "" }, "Discs: words of each atom"),
    [...overlays].map(([key, { title }]) => h("option", { value: key }, title)),
  );
}

/**
 * An overlay has for each atom a size, a `value` to sort by, and a `note`; `toneOf` gives a colour in place of that of
 * its group; `linkOf` an address with more about it.
 */
async function ofDocuments({ source, groups }, group) {
  const { shares, differences, topics } = await ask("documents", "atoms");
  const values = group === null ? shares : differences[group];
  const most = Math.max(...values.map(Math.abs), 1e-12);
  const tone = (value) => (value === 0 ? TONES.faint : group === null ? null : value > 0 ? TONES.more : TONES.less);
  return {
    sizes: values.map((value) => SIZES.least + (SIZES.most - SIZES.least) * Math.sqrt(Math.abs(value) / most)),
    values,
    toneOf: (atom) => tone(values[atom]),
    note: (atom) => (group === null ? share(values[atom]) : inPoints(values[atom])),
    linkOf: (atom) => (topics[atom] < 0 ? null : ["documents", "topic", "atoms", topics[atom]]),
    title: group === null ? `The atoms of ${source}` : `${groups[group]} less all others`,
    remark:
      group === null
        ? `Larger discs are larger shares of ${source}; grey ones are not in it.`
        : `The share in ${groups[group]} less that in all others: green is more, orange is less.`,
  };
}

async function ofModel(name) {
  const { similarities, labels } = await ask("counterparts", { model: name });
  const isShared = (atom) => similarities[atom] >= LEAST_ALIKE;
  const n = similarities.filter((_, atom) => isShared(atom)).length;
  return {
    sizes: similarities.map((_, atom) => (isShared(atom) ? SIZES.shared : SIZES.shared / 2)),
    values: similarities,
    toneOf: (atom) => (isShared(atom) ? null : TONES.faint),
    note: (atom) =>
      isShared(atom) ? `${decimal(similarities[atom])} to “${labels[atom]}”` : `nothing like it in “${name}”`,
    linkOf: () => null,
    title: `Also in “${name}”`,
    remark: `${count(n)} of ${count(similarities.length)} atoms have a counterpart in “${name}”; the others are grey.`,
  };
}
