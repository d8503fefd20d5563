// One meta-atom: the atoms in it.

import { ask, thing } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { plural } from "../numbers.js";
import { atomList } from "../parts/atoms.js";
import { empty, fillWhenReady } from "../parts/states.js";
import { sectionHead } from "../parts/words.js";
import { addressOf } from "../router.js";

export function open(route, { setTitle }) {
  const place = h("div", { class: "page" });
  const update = ({ args: [meta] }) => {
    setTitle(`Meta-atom ${meta}`);
    fillWhenReady(place, () => makePage(meta, setTitle));
    return true;
  };
  update(route);
  return { element: place, update };
}

async function makePage(number, setTitle) {
  const { atoms, metas, hidden, regions = [], region = [] } = await ask("atoms");
  const name = /^\d+$/.test(number) ? metas[number] : undefined;
  if (name === undefined)
    return empty(
      "Not found",
      h("p", {}, `There is no meta-atom “${number}”. `, h("a", { href: "#/atoms" }, "All atoms")),
    );
  setTitle(name);
  const rows = atoms
    .map(([, , meta, nWords, label], atom) => ({ atom, meta, label, nWords }))
    .filter(({ atom, meta }) => meta === Number(number) && !hidden.includes(atom))
    .sort((one, other) => other.nWords - one.nWords);
  const home = regions[region[rows[0]?.atom]];
  return [
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, name),
      h("p", { class: "quiet" }, [`Meta-atom ${Number(number)}`, home && `in ${home}`].filter(Boolean).join(" · ")),
      h(
        "div",
        { class: "actions" },
        h("a", { class: "button", href: addressOf("map", { meta: number }) }, "On the map"),
      ),
    ),
    h(
      "section",
      {},
      sectionHead(
        plural(rows.length, "atom"),
        csvButton(`meta-atom-${Number(number)}`, () =>
          rows.map(({ atom, label, nWords }) => ({ atom, label, n_words: nWords })),
        ),
      ),
      atomList(rows.map(({ atom, label, nWords }) => ({ atom, label, note: plural(nWords, thing()) }))),
    ),
  ];
}
