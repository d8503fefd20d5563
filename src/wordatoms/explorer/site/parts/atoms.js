// Atoms as a list of links.

import { h } from "../dom.js";
import { addressOf } from "../router.js";

/** Rows have atom, label and perhaps a note. */
export function atomList(rows, to = (atom) => addressOf("atom", atom)) {
  return h(
    "ul",
    { class: "atom-list", role: "list" },
    rows.map(({ atom, label, note }) =>
      h("li", {}, h("a", { href: to(atom) }, label), note !== undefined && h("small", {}, String(note))),
    ),
  );
}
