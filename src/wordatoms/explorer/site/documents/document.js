// A document, with its topics along its length.

import { ask } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { percent } from "../numbers.js";
import { sectionHead, tone } from "../parts/words.js";
import { documentAddress, documentNote, facts, homeLink, levelLinks, levelOf, topicAddress } from "./shared.js";

const N_COLOURED = 8;

export async function documentPage([number], query, setTitle) {
  const [collection, document] = await Promise.all([facts(), ask("documents", "document", number)]);
  const level = levelOf(collection, query.level);
  setTitle(document.name);
  return [
    homeLink(level),
    h(
      "header",
      { class: "page-head" },
      h("h1", { class: "document-title" }, document.name),
      h("p", { class: "quiet" }, documentNote(collection, document)),
    ),
    document.windows.length > 0
      ? topicsOf(collection, document, level)
      : h(
          "section",
          {},
          h("p", { class: "quiet" }, "The model knows no word of this document."),
          h("p", { class: "document-text" }, document.text),
        ),
  ];
}

function topicsOf(collection, document, level) {
  const places = document.topics[level];
  const sizes = new Map();
  for (const place of places) if (place >= 0) sizes.set(place, (sizes.get(place) ?? 0) + 1);
  const ordered = [...sizes].sort(([one, n], [other, m]) => m - n || one - other);
  const coloured = new Map(ordered.slice(0, N_COLOURED).map(([place], k) => [place, tone(k)]));
  const toneOf = (place) => coloured.get(place) ?? { "--tone": "var(--line)" };
  const nameOf = (place) => document.names[level][place] ?? "none";
  const segments = segmentsOf(document);
  const saved = () =>
    segments.map(({ begin, end }, k) => ({
      begin,
      end,
      topic: nameOf(places[k]),
      text: document.text.slice(begin, end),
    }));
  const entry = ([place, n]) =>
    h(
      "li",
      { style: toneOf(place) },
      h("span", { class: "dot" }),
      h("a", { href: topicAddress(level, place) }, nameOf(place)),
      h("small", { class: "quiet" }, percent(n / places.length)),
    );
  const parts = segments.map(({ begin, end }, k) =>
    h(
      "span",
      { class: "segment", style: toneOf(places[k]), title: nameOf(places[k]) },
      document.text.slice(begin, end),
    ),
  );
  const strip = h(
    "div",
    { class: "strip", role: "img", "aria-label": `Topics along the document: ${runs(places, nameOf).join(", ")}` },
    places.map((place, k) => h("span", { style: toneOf(place), title: nameOf(place), onclick: () => point(parts[k]) })),
  );
  return h(
    "section",
    {},
    sectionHead("Topics along its length", csvButton(`document-${document.name}`, saved)),
    levelLinks(collection, level, (each) => documentAddress(document.document, each)),
    strip,
    h("ul", { class: "document-topics", role: "list" }, ordered.map(entry)),
    h(
      "p",
      { class: "document-text" },
      document.text.slice(0, segments[0].begin),
      parts,
      document.text.slice(segments.at(-1).end),
    ),
    document.is_cut && h("p", { class: "quiet" }, "The document goes on; the page shows its beginning."),
  );
}

/** Windows overlap: two neighbours meet at a space near the middle of what they share. */
function segmentsOf({ windows, text }) {
  const borders = windows.slice(1).map(({ begin }, k) => {
    const middle = Math.max(begin, Math.floor((begin + windows[k].end) / 2));
    const space = text.indexOf(" ", middle);
    return space >= 0 && space < windows[k].end ? space + 1 : Math.max(begin, windows[k].end);
  });
  const begins = [windows[0].begin, ...borders];
  return windows.map(({ end }, k) => ({ begin: begins[k], end: begins[k + 1] ?? end }));
}

const MOST_SAID = 30;
const runs = (places, nameOf) =>
  places
    .filter((place, k) => place !== places[k - 1])
    .slice(0, MOST_SAID)
    .map(nameOf);

function point(part) {
  part.scrollIntoView({ block: "center" });
  part.classList.remove("pointed");
  void part.offsetWidth; // so that the animation starts again
  part.classList.add("pointed");
}
