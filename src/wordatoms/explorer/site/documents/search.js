// Documents that have all words of a search.

import { ask } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { count, plural } from "../numbers.js";
import { sectionHead } from "../parts/words.js";
import { addressOf } from "../router.js";
import { documentAddress, documentNote, facts, groupTone, homeLink, marked, searchForm } from "./shared.js";

export async function searchPage(_rest, { q = "", group, first = "0" }, setTitle) {
  const collection = await facts();
  setTitle(`Documents with “${q}”`);
  const head = h("header", { class: "page-head" }, h("h1", {}, q ? `“${q}”` : "Search"), searchForm(q, group));
  if (!q.trim()) return [homeLink(), head];
  const found = await ask("documents", "search", { q, group, first });
  return [homeLink(), head, results(collection, found, q, group)];
}

function results(collection, found, q, group) {
  if (!found.words.length) return h("p", {}, "Type a word to look for.");
  const title = `${plural(found.total, "document")} with ${found.words.map((word) => `“${word}”`).join(" and ")}`;
  const saved = () =>
    found.documents.map((each) => ({
      document: each.name,
      group: each.group === null ? null : collection.groups[each.group],
      period: each.period === null ? null : collection.periods[each.period].name,
      text: each.snippet,
    }));
  const item = (each) =>
    h(
      "li",
      {},
      h("a", { href: documentAddress(each.document) }, each.name),
      h("small", { class: "quiet" }, ` ${documentNote(collection, each)}`),
      h("p", {}, marked(each.snippet, each.marks)),
    );
  return h(
    "section",
    {},
    sectionHead(title, found.documents.length > 0 && csvButton(`search-${q}`, saved)),
    collection.groups.length > 1 && groupLinks(collection, found, q, group),
    h("ul", { class: "found-documents", role: "list" }, found.documents.map(item)),
    pages(found, q, group),
  );
}

function groupLinks({ groups, by }, found, q, group) {
  const link = (name, n, own, style) =>
    h(
      "a",
      {
        class: "chip",
        href: addressOf("documents", "search", { q, group: own }),
        "aria-current": own === group && "true",
        style,
      },
      `${name} ${count(n)}`,
    );
  const all = found.groups.reduce((sum, n) => sum + n, 0);
  return h(
    "nav",
    { class: "chips", "aria-label": by },
    link("all", group === undefined ? found.total : all, undefined, {}),
    groups.map((name, place) => link(name, found.groups[place], String(place), groupTone(place))),
  );
}

function pages({ first, total, documents }, q, group) {
  const to = (start) => addressOf("documents", "search", { q, group, first: start || undefined });
  const size = 20;
  if (total <= documents.length) return null;
  return h(
    "nav",
    { class: "pages", "aria-label": "Pages" },
    first > 0 && h("a", { class: "button", href: to(Math.max(0, first - size)) }, "← Before"),
    h("span", { class: "quiet" }, `${count(first + 1)} to ${count(first + documents.length)} of ${count(total)}`),
    first + documents.length < total && h("a", { class: "button", href: to(first + documents.length) }, "Next →"),
  );
}
