// The report of `wordatoms reproduce`, if there is one.

import { model } from "../api.js";
import { h } from "../dom.js";
import { empty, fillWhenReady } from "../parts/states.js";

const PAGE = "report/index.html";

export function open(_route, { setTitle }) {
  setTitle("The report");
  const place = h("div", { class: "page" });
  fillWhenReady(place, async () => ((await model()).features.includes("report") ? showReport() : none()));
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
        "The tables and figures of the paper, with our numbers next to the paper’s. ",
        h("a", { href: PAGE }, "Open it in full"),
      ),
    ),
    h("iframe", { class: "report", src: PAGE, title: "The report" }),
  ];
}

function none() {
  return empty(
    "There is no report",
    h("p", {}, "Make one, then restart the server with it:"),
    h("p", {}, h("code", {}, "wordatoms reproduce --all -o report")),
    h("p", {}, h("code", {}, "wordatoms explore --report report")),
  );
}
