// What the colours of the map mean; an entry lights up the atoms of its group.

import { h } from "../dom.js";
import { addressOf } from "../router.js";
import { onThemeChange } from "../theme.js";

const WIDE = "(min-width: 62rem)"; // there it is open at first

/** `colour(group)` is the colour of the region or meta-atom with this number. */
export function legend(points, colour) {
  const kind = points.region ? "region" : "meta";
  const groups = (points.region ? points.regions : points.metas).filter(({ atoms }) => atoms.length);
  if (!groups.length) return { element: null, mark: () => {}, close: () => {} };
  const entries = groups
    .sort((one, other) => other.atoms.length - one.atoms.length)
    .map((group) => entry(group, kind, colour));
  const recolour = () => entries.forEach(({ swatch, number }) => swatch.style.setProperty("--tone", colour(number)));
  const element = h(
    "details",
    { class: "legend", open: matchMedia(WIDE).matches },
    h("summary", {}, kind === "region" ? "Regions" : "Meta-atoms"),
    h(
      "ul",
      { role: "list" },
      entries.map(({ item }) => item),
    ),
  );
  const mark = (query) => {
    for (const { link, number } of entries) {
      link.setAttribute("href", addressOf("map", { [kind]: number, over: query.over }));
      if (query[kind] === String(number)) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  const stop = onThemeChange(() => requestAnimationFrame(recolour)); // after the map knows its new colours
  requestAnimationFrame(recolour);
  return { element, mark, close: stop };
}

function entry({ number, name, atoms }, kind, colour) {
  const swatch = h("i", { class: "swatch", "aria-hidden": "true", style: { "--tone": colour(number) } });
  const link = h("a", { href: addressOf("map", { [kind]: number }) }, swatch, h("span", {}, name));
  link.append(h("small", {}, String(atoms.length)));
  return { number, swatch, link, item: h("li", {}, link) };
}
