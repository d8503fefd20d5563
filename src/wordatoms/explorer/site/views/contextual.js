// Atoms of contextual vectors: what each gathers, beside the discourse atoms that are meant in the same places.

import { ask } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { count, decimal, percent, plural } from "../numbers.js";
import { excerptOf } from "../parts/quotations.js";
import { empty, fillWhenReady } from "../parts/states.js";
import { bar, columnHead, dataTable, sectionHead } from "../parts/words.js";
import { addressOf } from "../router.js";

export function open(route, { setTitle }) {
  const place = h("div", { class: "page" });
  const update = ({ query: { q } }) => {
    setTitle(q ? `Contextual atoms of “${q}”` : "Contextual atoms");
    fillWhenReady(place, () => makePage(q));
    return true;
  };
  update(route);
  return { element: place, update };
}

async function makePage(q) {
  const answer = await ask("contextual");
  const atoms = answer.atoms.filter(({ words }) => !q || words.some(({ word }) => word === q));
  return [
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, q ? `Contextual atoms of “${q}”` : "Contextual atoms"),
      h(
        "p",
        { class: "quiet" },
        `A dictionary over the states that ${answer.encoder} gives to ${count(answer.n_occurrences)} occurrences of `,
        `${plural(answer.words.length, "word")}: what each of its atoms gathers, and beside it the discourse atoms `,
        "that our own reading, without the encoder, finds in the same places.",
      ),
      figures(answer),
      h("p", { class: "quiet contextual-words" }, wordLinks(answer, q)),
    ),
    atoms.length
      ? h(
          "section",
          {},
          sectionHead(
            plural(atoms.length, "contextual atom"),
            csvButton("contextual-atoms", () => atoms.flatMap(tableRows)),
          ),
          atoms.map(besideAtoms),
        )
      : empty("None", h("p", {}, `No contextual atom has “${q}”. `, h("a", { href: "#/contextual" }, "All of them"))),
  ];
}

function wordLinks({ words }, q) {
  const link = (word) =>
    h("a", { href: addressOf("contextual", { q: word }), "aria-current": word === q ? "true" : null }, word);
  return ["Words: ", words.flatMap((word) => [link(word), " "]), q && h("a", { href: "#/contextual" }, "all")];
}

/** How far the dictionary goes, and how often occurrences agree. */
function figures({ by_word, by_sense, explained, same_word, different_words }) {
  const pairs = ({ together, all_pairs }) => [together, all_pairs].map((p) => (p === null ? "–" : percent(p)));
  const rows = [
    ["States explained by the dictionary", "", percent(explained)],
    ["Variance of the states explained by word and form", "", percent(by_word)],
    ["Of the rest, explained by the sense of our reading", "", percent(by_sense)],
    ["Two occurrences of one word have one sense", ...pairs(same_word)],
    ["Two occurrences of different words have one discourse atom", ...pairs(different_words)],
  ];
  const cells = ([name, ...values]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      values.map((value) => h("td", { class: "number" }, value)),
    );
  return dataTable(
    "contextual-figures",
    "Figures",
    [columnHead("Share"), columnHead("with one contextual atom"), columnHead("overall")],
    rows.map(cells),
  );
}

function besideAtoms(atom) {
  return h(
    "article",
    { class: "card beside", "data-number": atom.number },
    h(
      "div",
      {},
      h("h3", {}, `Contextual atom ${atom.number}`),
      h("p", { class: "quiet" }, `${plural(atom.n_occurrences, "occurrence")} of ${plural(atom.n_words, "word")}`),
      h(
        "ul",
        { class: "chips", role: "list" },
        atom.words.map(({ word, n }) =>
          h("li", {}, h("a", { class: "chip", href: addressOf("word", word) }, `${word} `, h("small", {}, count(n)))),
        ),
      ),
      atom.examples.map(example),
    ),
    h(
      "div",
      {},
      h("h3", {}, "Discourse atoms in these places"),
      atom.coincides.length
        ? h("ul", { class: "beside-list", role: "list" }, atom.coincides.map(discourseAtom))
        : h("p", { class: "quiet" }, "Our reading tells no atom here."),
    ),
  );
}

function discourseAtom({ atom, label, share, lift, nearest }) {
  return h(
    "li",
    {},
    h("a", { href: addressOf("atom", atom) }, label),
    bar(share, percent(share)),
    h("span", { class: "number", title: "of the occurrences that have an atom by our reading" }, percent(share)),
    h("small", {}, `${decimal(lift, 1)} times as often as overall · ${nearest.join(", ")}`),
  );
}

function example(found) {
  const { text, start, end } = excerptOf(found);
  return h(
    "figure",
    { class: "quotation" },
    h("blockquote", {}, text.slice(0, start), h("mark", {}, text.slice(start, end)), text.slice(end)),
    h("figcaption", {}, found.sense ? `our reading: ${found.sense}` : "our reading cannot tell"),
  );
}

function tableRows({ number, n_occurrences, words, coincides }) {
  const own = { contextual_atom: number, n_occurrences, words: words.map(({ word, n }) => `${word} ${n}`).join(" ") };
  const none = { atom: null, label: null, share: null, lift: null };
  return (coincides.length ? coincides : [none]).map(({ atom, label, share, lift }) => ({
    ...own,
    atom,
    label,
    share,
    lift,
  }));
}
