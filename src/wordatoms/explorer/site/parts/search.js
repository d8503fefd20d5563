// The search field for a word, at the top of every page.

import { ask, thing } from "../api.js";
import { addressOf, goTo } from "../router.js";
import { combobox } from "./combobox.js";

export function wordSearch({
  large = false,
  value = "",
  to = (word) => addressOf("word", word),
  label = "A word",
} = {}) {
  return combobox({
    label,
    large,
    value,
    placeholder: large ? "Type a word, such as spring" : "A word …",
    suggest: async (text) => (await ask("complete", { q: text, n: 8 })).map((word) => ({ value: word, label: word })),
    choose: (word, text) => goTo(word ? to(word) : addressOfText(text, to)),
  });
}

/** Where a text leads that was not chosen from the suggestions. */
function addressOfText(text, to) {
  if (thing() === "item") return addressOf("atoms", { q: text });
  return isSentence(text) ? addressOf("sentence", text) : to(text);
}

/** Three words or more are treated as a sentence. */
const isSentence = (text) => text.split(/\s+/).length > 2;

/** Focus the search field (the key `/`). */
export function focusSearch() {
  const fields = [...document.querySelectorAll("[data-search]")].filter((field) => field.checkVisibility());
  const field = fields.find((each) => each.closest("main")) ?? fields[0];
  field?.focus();
  field?.select();
}
