// A part of a page that is folded until somebody asks for it.

import { h, put } from "../dom.js";
import { fillWhenReady } from "./states.js";

/**
 * `key` tells it from the other folds of the page, so that going back finds it as it was. Content that is a function is
 * made when it is first unfolded, and may take a while.
 */
export function fold(key, summary, content, { open = false, kind = "" } = {}) {
  const body = h("div", { class: "fold-body" });
  const element = h("details", { class: `fold ${kind}`, "data-fold": key, open }, h("summary", {}, summary), body);
  if (typeof content === "function") element.addEventListener("toggle", () => makeOnce(element, body, content));
  else put(body, content);
  return element;
}

function makeOnce(element, body, make) {
  if (!element.open || body.childElementCount) return;
  fillWhenReady(body, make);
}
