// Questions to the server, or to the files of a static export (static.js).

import { staticAnswer } from "./static.js";

export class ApiError extends Error {
  /** For an unknown word, `more` has similar spellings and the known words in it. */
  constructor(message, status, more = {}) {
    super(message);
    Object.assign(this, { status, suggestions: more.suggestions, parts: more.parts });
  }
}

const KEPT = 60;
const answers = new Map(); // the latest ones, so that going back is immediate
let description;

/** What is served: the model, its size, the features of the explorer. Fetched once. */
export function model() {
  description ??= describe();
  return description;
}

let kind = "words";

/** What a row of the model is called, once the model is known: "word", or "item" in a model of texts. */
export const thing = () => (kind === "items" ? "item" : "word");

async function describe() {
  const isExport = document.documentElement.dataset.static === "true"; // set by the export
  try {
    const facts = await fetchJson(isExport ? "api/model.json" : "api/model").catch(() => fetchJson("api/model.json"));
    kind = facts.kind;
    return facts;
  } catch (error) {
    description = undefined;
    throw error;
  }
}

/** ask("word", {word: "tie", forms: true}); equal questions are sent once. */
export function ask(...parts) {
  const key = JSON.stringify(parts);
  if (!answers.has(key)) keep(key, askAgain(...parts));
  return answers.get(key);
}

/** Something was changed: ask again. */
export const forget = () => answers.clear();

function keep(key, promise) {
  answers.set(key, promise);
  promise.catch(() => answers.delete(key)); // so that it can be retried
  if (answers.size > KEPT) answers.delete(answers.keys().next().value);
}

/** The same for an answer that changes with time. */
export async function askAgain(...parts) {
  const query = typeof parts.at(-1) === "object" ? parts.pop() : {};
  if ((await model()).static) return staticAnswer(parts, query, { fetchJson, ApiError });
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const path = ["api", ...parts].map((part) => encodeURIComponent(part)).join("/");
  return fetchJson(given.length ? `${path}?${new URLSearchParams(given)}` : path);
}

async function fetchJson(address) {
  let response;
  try {
    response = await fetch(address, { headers: { accept: "application/json" } });
  } catch {
    throw new ApiError("The server does not answer; is `wordatoms explore` still running?", 0);
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  throw new ApiError(body?.error ?? `The server answered with ${response.status}.`, response.status, body ?? {});
}
