// The report that `wordatoms reproduce` made, if there is one.

import { ask } from "../api.js";
import { h } from "../dom.js";
import { empty, fillWhenReady } from "../parts/states.js";

const PAGE = "report/index.html";

export function open(_route, { setTitle }) {
  setTitle("The report");
  const place = h("div", { class: "page" });
  fillWhenReady(place, async () => ((await ask("report")).available ? showReport() : none()));
  return { element: place, update: () => true };
}

function showReport() {
  return [
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, "The report"),
      h(
        "p",
        { class: "quiet" },
        "The tables and figures of the paper, ours beside the paper’s. ",
        h("a", { href: PAGE }, "Open it by itself"),
      ),
    ),
    h("iframe", { class: "report", src: PAGE, title: "The report" }),
  ];
}

function none() {
  return empty(
    "There is no report here",
    h("p", {}, "Make one, then say where it is:"),
    h("p", {}, h("code", {}, "wordatoms reproduce --all -o report")),
    h("p", {}, h("code", {}, "wordatoms explore --report report")),
  );
}
