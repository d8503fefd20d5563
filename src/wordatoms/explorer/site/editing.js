// Names, hidden atoms and picked senses, for a server that was started with --edit and a page that has its token.

import { ApiError, forget, model } from "./api.js";
import { announce, h, put } from "./dom.js";
import { asSentence } from "./numbers.js";
import { parseAddress } from "./router.js";

const STORED = "wordatoms-token";
let token;

/** The token comes with the address that the program printed; it is kept for this visit, and the address loses it. */
export function takeToken() {
  const { token: given, ...rest } = parseAddress(location.hash).query;
  if (given) {
    const [path] = location.hash.split("?");
    const query = new URLSearchParams(rest).toString();
    history.replaceState(history.state, "", query ? `${path}?${query}` : path);
  }
  try {
    if (given) sessionStorage.setItem(STORED, given);
    token = given ?? sessionStorage.getItem(STORED);
  } catch {
    token = given; // without storage it lasts until the page is loaded again
  }
}

export const canEdit = async () => Boolean(token) && (await model()).features.includes("edit");

/** Make a change, then show what was done, with a way back; `edit("name", {atom: 12, name: "jazz"})`. */
export async function edit(action, content = {}) {
  try {
    const { done, n_undo } = await post(action, content);
    forget();
    tell(done, n_undo);
    dispatchEvent(new HashChangeEvent("hashchange")); // show the page as it is now
    return true;
  } catch (error) {
    tell(asSentence(error.message), 0);
    return false;
  }
}

async function post(action, content) {
  const headers = { "content-type": "application/json", "x-wordatoms-token": token ?? "" };
  const response = await fetch(`api/edit/${action}`, { method: "POST", headers, body: JSON.stringify(content) }).catch(
    () => null,
  );
  const body = await response?.json().catch(() => null);
  if (response?.ok && body) return body;
  throw new ApiError(body?.error ?? "The server does not answer; is it still running?", response?.status ?? 0);
}

/** A line at the foot of the page, until it is closed. */
function tell(text, nUndo) {
  let line = document.getElementById("edited");
  if (!line) {
    line = h("div", { id: "edited", class: "edited", role: "region", "aria-label": "The latest change" });
    document.body.append(line);
  }
  announce(text);
  put(
    line,
    h("span", {}, text),
    nUndo > 0 && h("button", { type: "button", onclick: () => edit("undo") }, "Undo"),
    h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: () => line.remove() }, "✕"),
  );
}

/** Forms to rename and hide an atom. */
export function atomForms({ atom, label, named, hidden }) {
  const field = h("input", { type: "text", "aria-label": "Name of the atom", maxlength: 200, value: label });
  const rename = (event) => {
    event.preventDefault();
    edit("name", { atom, name: field.value });
  };
  return h(
    "form",
    { class: "edit-form", onsubmit: rename },
    field,
    h("button", {}, "Rename"),
    named && h("button", { type: "button", onclick: () => edit("name", { atom, name: "" }) }, "Restore the name"),
    h(
      "button",
      { type: "button", onclick: () => edit("hide", { atom, hidden: !hidden }) },
      hidden ? "Show in senses again" : "Hide from all senses",
    ),
  );
}
