// The senses of a word, picked by a person from the atoms that are close to it (the paper's semi-automatic mode).

import { ask } from "../api.js";
import { h } from "../dom.js";
import { canEdit, edit } from "../editing.js";
import { decimal, plural } from "../numbers.js";
import { empty, fillWhenReady } from "../parts/states.js";
import { addressOf } from "../router.js";

export function open(route, { setTitle }) {
  const place = h("div", { class: "page" });
  const update = ({ args: [word = ""] }) => {
    setTitle(`Pick the senses of ${word}`);
    fillWhenReady(place, async () => ((await canEdit()) && word ? makePage(word) : refused()));
    return true;
  };
  update(route);
  return { element: place, update };
}

const refused = () =>
  empty(
    "Nothing can be changed here",
    h("p", {}, "To pick senses, start the explorer for editing and open the address that it prints:"),
    h("p", {}, h("code", {}, "wordatoms explore --edit")),
  );

async function makePage(asked) {
  const { word, is_picked, candidates } = await ask("candidates", { word: asked });
  const boxes = candidates.map((candidate) => ({ candidate, box: boxOf(candidate, is_picked) }));
  const chosen = () => boxes.filter(({ box }) => box.checked).map(({ candidate }) => candidate.atom);
  const save = (event) => {
    event.preventDefault();
    edit("pick", { word, atoms: chosen() });
  };
  return [
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, `Senses of ${word}`),
      h(
        "p",
        { class: "quiet" },
        `The ${plural(candidates.length, "closest atom")}. Accept those that are senses of the word; `,
        "the others are rejected. ",
        h("a", { href: addressOf("word", word) }, `Back to ${word}`),
      ),
    ),
    h(
      "form",
      { onsubmit: save },
      h(
        "ul",
        { class: "candidates", role: "list" },
        boxes.map(({ candidate, box }) => row(candidate, box)),
      ),
      h(
        "div",
        { class: "actions" },
        h("button", { class: "main" }, "Save"),
        is_picked &&
          h(
            "button",
            { type: "button", onclick: () => edit("pick", { word, atoms: [] }) },
            "Back to the automatic senses",
          ),
      ),
    ),
  ];
}

/** Before anything is picked, the atoms in the code of the word are proposed. */
const boxOf = ({ picked, weight }, isPicked) =>
  h("input", { type: "checkbox", checked: isPicked ? picked : weight !== null && weight > 0 });

function row({ atom, label, similarity, nearest }, box) {
  return h(
    "li",
    {},
    h(
      "label",
      {},
      box,
      h("span", {}, h("strong", {}, label), h("small", {}, nearest.map(({ word }) => word).join(", "))),
    ),
    h("a", { href: addressOf("atom", atom), title: `Similarity ${decimal(similarity)}` }, `atom ${atom}`),
  );
}
