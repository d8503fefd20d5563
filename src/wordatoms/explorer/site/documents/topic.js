// One topic: over time, by group, its typical passages, the documents that are most about it.

import { ask } from "../api.js";
import { csvButton } from "../csv.js";
import { h } from "../dom.js";
import { decimal, plural } from "../numbers.js";
import { sectionHead } from "../parts/words.js";
import { addressOf } from "../router.js";
import { intervalRows, timeChart } from "./charts.js";
import {
  documentAddress,
  documentNote,
  facts,
  groupLegend,
  groupTone,
  homeLink,
  interval,
  marked,
  share,
} from "./shared.js";

const MOST_LINES = 6; // groups in the picture over time
const N_ATOMS = 24;

export async function topicPage([level, place], _query, setTitle) {
  const [collection, topic] = await Promise.all([facts(), ask("documents", "topic", level, place)]);
  setTitle(topic.row.name);
  return [
    homeLink(level),
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, topic.row.name),
      h("p", { class: "quiet" }, describe(topic)),
      h("p", {}, topic.row.words.join(", ")),
    ),
    overTime(collection, topic),
    byGroup(collection, topic),
    passages(collection, topic),
    documents(collection, topic),
    level !== "atoms" && atoms(topic),
    level === "atoms" && h("p", {}, h("a", { href: addressOf("atom", topic.row.topic) }, "This atom in the model")),
  ];
}

function describe({ kind, row, npmi }) {
  const bounds = interval(row) && ` (${interval(row)})`;
  const coherence = npmi === null ? "" : ` · coherence of its words ${decimal(npmi)}`;
  return `A ${kind} · ${share(row.share)} of the text${bounds} · in ${plural(row.documents, "document")}${coherence}`;
}

const savedCells = (collection, { row, cells }) =>
  cells.map((cell) => ({
    topic: row.name,
    group: cell.group === null ? null : collection.groups[cell.group],
    period: cell.period === null ? null : collection.periods[cell.period].name,
    share: cell.share,
    low: cell.low,
    high: cell.high,
    with_topic: cell.with_topic,
    documents: cell.documents,
  }));

function overTime(collection, topic) {
  const { groups, periods } = collection;
  if (periods.length < 2) return null;
  const isSplit = groups.length > 1 && groups.length <= MOST_LINES;
  const lines = (
    isSplit ? groups.map((name, group) => ({ name, group })) : [{ name: "all documents", group: null }]
  ).map(({ name, group }) => ({
    name,
    tone: groupTone(group ?? 0),
    points: topic.cells
      .filter((cell) => cell.period !== null && cell.group === group)
      .map((cell) => ({ x: periods[cell.period].number, y: cell.share, low: cell.low, high: cell.high })),
  }));
  const names = new Map(periods.map(({ number, name }) => [number, name]));
  const rows = topic.trends.map((trend) => ({
    name: trend.group === null ? "all documents" : groups[trend.group],
    tone: trend.group === null ? { "--tone": "var(--quiet)" } : groupTone(trend.group),
    ...trend,
    note: trend.stands_out && "stands out",
  }));
  return h(
    "section",
    {},
    sectionHead(
      "Over time",
      csvButton(`topic-${topic.row.name}`, () => savedCells(collection, topic)),
    ),
    isSplit && groupLegend(collection),
    timeChart(lines, names, `The share of ${topic.row.name} by ${collection.time}`),
    rows.length > 0 && h("h3", {}, `Change from ${periods[0].name} to ${periods.at(-1).name}`),
    rows.length > 0 && intervalRows(rows, { signed: true }),
  );
}

function byGroup(collection, topic) {
  if (collection.groups.length < 2) return null;
  const shown = topic.cells.filter(({ group, period }) => group !== null && period === null);
  const rows = shown.map((cell) => {
    const difference = topic.differences.find(({ group }) => group === cell.group);
    const note = difference?.stands_out && "differs from the others";
    return { name: collection.groups[cell.group], tone: groupTone(cell.group), value: cell.share, ...cell, note };
  });
  return h(
    "section",
    {},
    sectionHead(
      `By ${collection.by}`,
      csvButton(`topic-${topic.row.name}`, () => savedCells(collection, topic)),
    ),
    intervalRows(rows),
  );
}

function passages(collection, topic) {
  const saved = () =>
    topic.passages.map(({ name, group, period, text }) => ({
      document: name,
      group: group === null ? null : collection.groups[group],
      period: period === null ? null : collection.periods[period].name,
      passage: text,
    }));
  const quote = (passage) =>
    h(
      "blockquote",
      { class: "passage" },
      h("p", {}, passage.is_cut[0] && "… ", marked(passage.text, passage.marks), passage.is_cut[1] && " …"),
      h(
        "footer",
        {},
        h("a", { href: documentAddress(passage.document, topic.level) }, passage.name),
        ` ${documentNote(collection, { ...passage, words: undefined })}`,
      ),
    );
  return h(
    "section",
    {},
    sectionHead("Typical passages", csvButton(`passages-${topic.row.name}`, saved)),
    h("div", { class: "passages" }, topic.passages.map(quote)),
  );
}

function documents(collection, topic) {
  const saved = () =>
    topic.documents.map(({ name, group, period, share: part }) => ({
      document: name,
      group: group === null ? null : collection.groups[group],
      period: period === null ? null : collection.periods[period].name,
      share: part,
    }));
  const item = (document) =>
    h(
      "li",
      {},
      h("span", { class: "number" }, share(document.share)),
      h("a", { href: documentAddress(document.document, topic.level) }, document.name),
      h("small", { class: "quiet" }, documentNote(collection, document)),
    );
  return h(
    "section",
    {},
    sectionHead("Documents with the largest shares", csvButton(`documents-${topic.row.name}`, saved)),
    h("ul", { class: "document-list", role: "list" }, topic.documents.map(item)),
  );
}

function atoms({ atoms: parts }) {
  const item = ({ atom, label, share: part }) =>
    h("li", {}, h("a", { href: addressOf("atom", atom) }, label), h("small", { class: "quiet" }, ` ${share(part)}`));
  return h(
    "section",
    {},
    sectionHead("Its atoms here"),
    h("ul", { class: "atom-shares", role: "list" }, parts.slice(0, N_ATOMS).map(item)),
    parts.length > N_ATOMS && h("p", { class: "quiet" }, `and ${parts.length - N_ATOMS} smaller ones`),
  );
}
