// What a view shows instead of its content: loading, nothing there, an error.

import { announce, h, put } from "../dom.js";
import { asSentence } from "../numbers.js";
import { addressOf } from "../router.js";

export function loading(text = "Loading …") {
  return h("div", { class: "state", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), text);
}

/** Nothing to show, and what to do about it. */
export function empty(title, ...rest) {
  return h("div", { class: "state empty" }, h("h2", {}, title), ...rest);
}

export function failure(error) {
  const words = error.suggestions ?? [];
  announce(error.message);
  return h(
    "div",
    { class: "state failure", role: "alert" },
    h("h2", {}, error.status === 404 ? "Not found" : "Something went wrong"),
    h("p", {}, asSentence(error.message)),
    words.length > 0 &&
      h(
        "p",
        {},
        "Did you mean ",
        h(
          "span",
          { class: "chips" },
          words.map((word) => h("a", { class: "chip", href: addressOf("word", word) }, word)),
        ),
        " ?",
      ),
  );
}

const pending = new Set();

/** Resolves when nothing is being filled any more. */
export async function settled() {
  while (pending.size) await Promise.all(pending);
}

/** Show a spinner, then what `make` returns, or an error; only the latest call for a place is shown. */
export function fillWhenReady(place, make) {
  const filling = fill(place, make).finally(() => pending.delete(filling));
  pending.add(filling);
  return filling;
}

async function fill(place, make) {
  const turn = (place.turn = (place.turn ?? 0) + 1);
  const waiting = setTimeout(() => place.turn === turn && put(place, loading()), place.childElementCount ? 250 : 60);
  try {
    const made = await make();
    if (place.turn === turn) put(place, made);
  } catch (error) {
    if (place.turn === turn) put(place, failure(error));
    if (error.status === undefined) console.warn(error);
  } finally {
    clearTimeout(waiting);
  }
}
