// The answers of a static export about documents, from its files.

import { tokenize } from "../tokens.js";

const N_FOUND = 20;
const [LEAD, TAIL] = [80, 160]; // characters of a snippet before and after the first word found

export function documentsAnswer(files, [kind, ...rest], query) {
  if (kind === "document") return readDocument(files, Number(rest[0]));
  if (kind === "search") return search(files, query);
  return files.get(["documents", kind, ...rest].filter((part) => part !== undefined).join("/"));
}

async function readDocument(files, number) {
  const { size } = await files.get("documents/words");
  const { documents } = await files.get("documents");
  if (!(number >= 0 && number < documents)) throw new files.ApiError(`There is no document ${number} here.`, 404);
  return (await files.get(`documents/texts/${Math.floor(number / size)}`))[number % size];
}

async function search(files, { q, group, first = 0 }) {
  const [{ tokenizer }, index, { groups: names }] = await Promise.all([
    files.get("search"),
    files.get("documents/words"),
    files.get("documents"),
  ]);
  const words = [...new Set(tokenize(q, { ...tokenizer, phrases: [] }))];
  const lists = await Promise.all(words.map((word) => documentsWith(files, index, word)));
  const all = lists.reduce((kept, list) => kept.filter((each) => list.has(each)), [...(lists[0] ?? [])]);
  const groups = names.map((_, place) => all.filter((each) => index.groups[each] === place).length);
  const found = group === undefined ? all : all.filter((each) => index.groups[each] === Number(group));
  const start = Number(first);
  const shown = await Promise.all(found.slice(start, start + N_FOUND).map((each) => readDocument(files, each)));
  return {
    words,
    total: found.length,
    groups,
    first: start,
    documents: shown.map((each) => foundDocument(each, words)),
  };
}

async function documentsWith(files, { shards }, word) {
  const name = shardOf(word);
  const shard = shards.includes(name) ? await files.get(`documents/words/${name}`) : {};
  let last = 0;
  return new Set(Object.hasOwn(shard, word) ? shard[word].map((step) => (last += step)) : []);
}

function shardOf(word) {
  const letters = [...word].slice(0, 2).map((letter) => (/[a-z0-9]/.test(letter) ? letter : "_"));
  return letters.join("").padEnd(2, "_");
}

const foundDocument = ({ document, name, group, period, words: n, text }, words) => ({
  document,
  name,
  group,
  period,
  words: n,
  ...cutSnippet(text, words),
});

const LETTER = "[\\p{L}\\p{N}_]";

/** The same as `cut_snippet` of the server. */
function cutSnippet(text, words) {
  const literal = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|") || "(?!)";
  const pattern = new RegExp(`(?<!${LETTER})(?:${literal})(?!${LETTER})`, "giu");
  const [first] = text.matchAll(pattern); // leaves the pattern at its beginning
  let begin = Math.max(0, first ? first.index - LEAD : 0);
  if (begin && text.slice(begin, begin + LEAD / 2).includes(" ")) begin = text.indexOf(" ", begin) + 1;
  let end = Math.min(text.length, (first ? first.index + first[0].length : 0) + TAIL);
  if (end < text.length && text.slice(end - LEAD / 2, end).includes(" ")) end = text.lastIndexOf(" ", end - 1);
  const snippet = text.slice(begin, end).replaceAll("\n", " ");
  const lead = begin ? 2 : 0;
  return {
    snippet: `${begin ? "… " : ""}${snippet}${end < text.length ? " …" : ""}`,
    marks: [...snippet.matchAll(pattern)].map((each) => [lead + each.index, lead + each.index + each[0].length]),
  };
}
