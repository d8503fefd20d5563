// The map of the atoms, coloured by prevalence: the share of all documents, or what a group has more and less of.

import { ask } from "../api.js";
import { h, put, svg } from "../dom.js";
import { goTo } from "../router.js";
import { groupTone, points, share, topicAddress } from "./shared.js";

const [WIDTH, HEIGHT, MARGIN] = [900, 640, 24];
const [SMALLEST, LARGEST] = [1.6, 13];
const N_NAMED = 12; // regions with a name on the map

export async function prevalenceMap(collection, first = null) {
  const [all, prevalence] = await Promise.all([ask("atoms"), ask("documents", "atoms")]);
  const place = h("div", {});
  const show = (group) => put(place, draw(collection, all, prevalence, group));
  const options = ["all documents", ...collection.groups.map((name) => `${name} less all others`)];
  const choice = h(
    "select",
    {
      "aria-label": "What the map shows",
      onchange: (event) => show(event.target.value === "" ? null : Number(event.target.value)),
    },
    options.map((name, k) => h("option", { value: k ? k - 1 : "", selected: (first ?? -1) === k - 1 }, name)),
  );
  show(first);
  return [collection.groups.length > 1 && h("label", { class: "map-choice" }, choice), place];
}

function draw(collection, all, { shares, differences, topics }, group) {
  const values = group === null ? shares : differences[group];
  const most = Math.max(...values.map(Math.abs), 1e-9);
  const [placeX, placeY] = [0, 1].map((axis) =>
    scaleOf(
      all.atoms.map((row) => row[axis]),
      axis,
    ),
  );
  const circles = all.atoms
    .map((row, atom) => ({ atom, x: placeX(row[0]), y: placeY(row[1]), label: row[4], value: values[atom] }))
    .filter(({ atom }) => !all.hidden.includes(atom))
    .sort((one, other) => Math.abs(one.value) - Math.abs(other.value))
    .map((point) => circle(point, most, group, topics));
  const label =
    group === null
      ? "Atoms on the map; larger circles are larger shares of all documents"
      : `Atoms on the map; circles are what ${collection.groups[group]} has more of, rings what it has less of`;
  const names = regionNames(all, shares, placeX, placeY);
  return [
    h("p", { class: "quiet" }, `${label}.`),
    svg(
      "svg",
      { class: "prevalence", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
      circles,
      names,
    ),
  ];
}

function scaleOf(values, axis) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (axis ? HEIGHT : WIDTH) - 2 * MARGIN;
  const turned = (part) => (axis ? 1 - part : part);
  return (value) => MARGIN + room * turned((value - low) / (high - low || 1));
}

function circle({ atom, x, y, label, value }, most, group, topics) {
  const part = Math.sqrt(Math.abs(value) / most);
  const kind = value === 0 ? "none" : value > 0 ? "more" : "less";
  const isShown = topics[atom] >= 0;
  return svg(
    "circle",
    {
      class: `${kind}${isShown ? " known" : ""}`,
      cx: x.toFixed(1),
      cy: y.toFixed(1),
      r: (SMALLEST + (LARGEST - SMALLEST) * part).toFixed(1),
      style: group === null ? {} : groupTone(group),
      onclick: isShown && (() => goTo(topicAddress("atoms", topics[atom]))),
    },
    svg("title", {}, `${label}: ${group === null ? share(value) : points(value)}`),
  );
}

/** The names of the regions with the largest shares, in the middle of their atoms. */
function regionNames({ atoms, regions = [], region = [] }, shares, placeX, placeY) {
  const totals = regions.map((name, number) => {
    const own = atoms.flatMap((row, atom) => (region[atom] === number ? [{ row, weight: shares[atom] }] : []));
    const weight = own.reduce((sum, each) => sum + each.weight, 0);
    const middle = (axis) => own.reduce((sum, { row, weight: each }) => sum + row[axis] * each, 0) / (weight || 1);
    return { name, weight, x: placeX(middle(0)), y: placeY(middle(1)) };
  });
  const shown = totals.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight);
  const kept = [];
  for (const each of shown.slice(0, N_NAMED))
    if (kept.every((one) => Math.abs(one.y - each.y) > 16 || Math.abs(one.x - each.x) > 150)) kept.push(each);
  const inside = (x) => Math.min(Math.max(x, 110), WIDTH - 110);
  return kept.map(({ name, x, y }) => svg("text", { x: inside(x).toFixed(1), y: y.toFixed(1) }, name));
}
