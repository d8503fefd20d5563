// All atoms as a list: the map for those who would rather read.

import { ask, thing } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { count, plural } from "../numbers.js";
import { atomList } from "../parts/atoms.js";
import { combobox } from "../parts/combobox.js";
import { fold } from "../parts/fold.js";
import { fillWhenReady } from "../parts/states.js";
import { sectionHead } from "../parts/words.js";
import { addressOf, goTo } from "../router.js";

export function open(route, { setTitle }) {
  const place = h("div", { class: "page" });
  const update = ({ query: { q } }) => {
    setTitle(q ? `Atoms for “${q}”` : "All atoms");
    fillWhenReady(place, () => makePage(q));
    return true;
  };
  update(route);
  return { element: place, update };
}

async function makePage(q) {
  const [all, found] = await Promise.all([ask("atoms"), q ? ask("search", { q }) : null]);
  const shown = all.atoms.map((row, atom) => ({ atom, meta: row[2], nWords: row[3], label: row[4] }));
  const rows = shown.filter(({ atom }) => !all.hidden.includes(atom));
  return [
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, q ? `Atoms for “${q}”` : "All atoms"),
      h("p", { class: "quiet" }, `${count(rows.length)} atoms in ${plural(all.metas.length, "meta-atom")}.`),
      h("div", { class: "list-search", role: "search", "aria-label": "Atoms" }, search(q), toMap(q)),
    ),
    found ? searched(q, found) : grouped(all, rows),
  ];
}

function search(q = "") {
  return combobox({
    label: "Search the atoms",
    placeholder: "Find atoms by word or name …",
    value: q,
    suggest: async (text) =>
      (await ask("search", { q: text })).slice(0, 8).map(({ atom, label, why }) => ({ value: atom, label, hint: why })),
    choose: (atom, text) => goTo(atom === null ? addressOf("atoms", { q: text }) : addressOf("atom", atom)),
  });
}

const toMap = (q) => h("a", { class: "button", href: addressOf("map", { q }) }, "Map");

function searched(q, found) {
  const rows = found.map(({ atom, label, why }) => ({ atom, label, note: why }));
  return h(
    "section",
    {},
    sectionHead(
      plural(rows.length, "atom"),
      csvButton(`atoms-${q}`, () => found),
    ),
    rows.length
      ? atomList(rows)
      : h("p", {}, "No atom has this word or name. ", h("a", { href: "#/atoms" }, "All atoms")),
  );
}

function grouped(all, rows) {
  const saved = () =>
    rows.map(({ atom, label, nWords, meta }) => ({ atom, label, n_words: nWords, meta_atom: all.metas[meta] ?? "" }));
  const groups = all.metas.map((name, meta) => ({ meta, name, rows: rows.filter((row) => row.meta === meta) }));
  const known = groups.filter((group) => group.rows.length);
  const alone = rows.filter(({ meta }) => meta < 0);
  const regionOf = (group) => all.region?.[group.rows[0].atom] ?? -1;
  const regions = (all.regions ?? []).map((name, region) => ({
    name,
    region,
    groups: known.filter((group) => regionOf(group) === region),
  }));
  return h(
    "section",
    {},
    sectionHead(regions.length ? "By region" : "By meta-atom", csvButton("atoms", saved)),
    regions.map(regionFold),
    known.filter((group) => regionOf(group) < 0).map(metaFold),
    alone.length > 0 && fold("alone", plural(alone.length, "atom"), () => wordsOf(alone), { kind: "large" }),
  );
}

const summaryOf = (name, n) => [h("span", {}, name), h("small", {}, plural(n, "atom"))];

function regionFold({ name, region, groups }) {
  const n = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const content = () => groups.map(({ meta, name: title, rows }) => [metaTitle(meta, title), wordsOf(rows)]);
  return fold(`region-${region}`, summaryOf(name, n), content, { kind: "large" });
}

const metaTitle = (meta, name) => h("h3", { class: "meta-title" }, h("a", { href: addressOf("meta", meta) }, name));

function metaFold({ meta, name, rows }) {
  const content = () => [h("p", {}, h("a", { href: addressOf("meta", meta) }, "open page")), wordsOf(rows)];
  return fold(`meta-${meta}`, summaryOf(name, rows.length), content, { kind: "large" });
}

const wordsOf = (rows) =>
  atomList(rows.map(({ atom, label, nWords }) => ({ atom, label, note: plural(nWords, thing()) })));
