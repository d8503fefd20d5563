// One atom on its own page.

import { ask, model, thing } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { atomForms, canEdit } from "../editing.js";
import { decimal, plural } from "../numbers.js";
import { shortQuotation } from "../parts/quotations.js";
import { fillWhenReady } from "../parts/states.js";
import { bar, sectionHead, wordChips } from "../parts/words.js";
import { addressOf } from "../router.js";

const LONGEST_SHOWN = 300;

export function open(route, { setTitle }) {
  const place = h("div", { class: "page" });
  const update = ({ args: [atom] }) => {
    setTitle(`Atom ${atom}`);
    fillWhenReady(place, () => makePage(atom, setTitle));
    return true;
  };
  update(route);
  return { element: place, update };
}

async function makePage(atom, setTitle) {
  const [answer, isEditable] = [await ask("atom", atom), await canEdit()];
  const { features } = await model();
  const contextual = features.includes("contextual") ? await ask("contextual") : null;
  setTitle(answer.label);
  return [
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, answer.label),
      h("p", { class: "quiet" }, `Atom ${answer.atom} · ${usedBy(answer)}`),
      Boolean(answer.quote) && h("div", { class: "atom-example" }, shortQuotation(answer.quote)),
      h(
        "div",
        { class: "actions" },
        h("a", { class: "button", href: addressOf("map", "atom", answer.atom) }, "On the map"),
      ),
      answer.hidden && h("p", { class: "quiet" }, "This atom is hidden from all senses."),
      isEditable && atomForms(answer),
    ),
    h("div", { class: "columns" }, atomSections(answer), contextual && contextualSection(answer, contextual)),
  ];
}

/** The contextual atoms of an encoder in whose places this atom is meant. */
function contextualSection({ atom }, { atoms }) {
  const found = atoms.flatMap(({ number, words, coincides }) =>
    coincides.filter((each) => each.atom === atom).map(({ share, lift }) => ({ number, share, lift, words })),
  );
  if (!found.length) return null;
  const rows = found.sort((one, other) => other.share - one.share);
  const link = ({ words }) =>
    h("a", { href: addressOf("contextual", { q: words[0].word }) }, words.map(({ word }) => word).join(", "));
  return h(
    "section",
    {},
    sectionHead(
      "Contextual atoms in the same places",
      csvButton(`atom-${atom}-contextual`, () =>
        rows.map(({ number, share, lift }) => ({ contextual_atom: number, share, lift })),
      ),
    ),
    measuredList(rows.map((row) => measured(link(row), row.share))),
  );
}

/** The content of an atom; also shown in the panel of the map. */
export function atomSections(answer, toAtom = (atom) => addressOf("atom", atom)) {
  const section = (title, table, rows, content) =>
    h(
      "section",
      {},
      sectionHead(
        title,
        csvButton(`atom-${answer.atom}-${table}`, () => rows),
      ),
      content,
    );
  const neighbours = answer.neighbours.map(([atom, cosine, label]) => ({ atom, cosine, label }));
  const near = neighbours.map(({ atom, label, cosine }) => measured(h("a", { href: toAtom(atom) }, label), cosine));
  const metas = answer.meta.map(([atom, weight, label]) => ({ atom, weight, label }));
  return [
    section(`Nearest ${thing()}s`, "nearest", answer.nearest, nearestOf(answer)),
    section(
      thing() === "item" ? "Items that use it" : "Words that use it",
      "words",
      answer.words,
      wordChips(answer.words, { value: "weight", atom: answer.atom }),
    ),
    section("Neighbouring atoms", "neighbours", neighbours, measuredList(near)),
    metas.length > 0 &&
      section("Meta-atoms", "meta", metas, measuredList(metas.map((meta) => measured(metaLink(meta), meta.weight)))),
  ];
}

const usedBy = ({ n_words: n }) => (thing() === "item" ? `in ${plural(n, "item")}` : `a sense of ${plural(n, "word")}`);

/** The words nearest to an atom; of items, their texts. */
function nearestOf({ nearest, texts }) {
  if (!texts?.length) return wordChips(nearest);
  return h(
    "ol",
    { class: "item-texts" },
    nearest.map(({ word, similarity }, place) =>
      h(
        "li",
        {},
        h(
          "a",
          { href: addressOf("word", word), title: `similarity ${decimal(similarity)}` },
          shortText(texts[place]) || word,
        ),
      ),
    ),
  );
}

const shortText = (text) => (text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
const metaLink = ({ atom, label }) => h("a", { href: addressOf("meta", atom) }, label);
const measuredList = (items) => h("ul", { class: "measured-list", role: "list" }, items);

function measured(content, number) {
  return h(
    "li",
    {},
    h("span", {}, content),
    bar(number, decimal(number)),
    h("span", { class: "number" }, decimal(number)),
  );
}
