// The topics of the collection, and the map of the atoms by how much the documents are about them.

import { ask } from "../api.js";
import { csvButton } from "../csv.js";
import { h, put } from "../dom.js";
import { count, plural } from "../numbers.js";
import { fold } from "../parts/fold.js";
import { bar, sectionHead } from "../parts/words.js";
import { addressOf } from "../router.js";
import { groupDots, sparkline } from "./charts.js";
import { prevalenceMap } from "./map.js";
import {
  facts,
  groupLegend,
  groupTone,
  levelLinks,
  levelOf,
  points,
  searchForm,
  share,
  topicAddress,
} from "./shared.js";

const N_SHOWN = 40;
const MOST_DOTS = 8; // groups that can be told apart by their colours
const N_WORDS = 6;

export async function overviewPage(_rest, query, setTitle) {
  const collection = await facts();
  const level = levelOf(collection, query.level);
  setTitle(`Documents: ${collection.source}`);
  const table = await ask("documents", "topics", level);
  const asked = { ...query, level };
  return [
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, collection.source || "Documents"),
      h("p", { class: "quiet" }, describe(collection)),
      searchForm(),
    ),
    topicSection(collection, table, asked),
    h("section", {}, mapFold(collection, asked)),
  ];
}

function describe({ documents, empty, ungrouped, undated, by, time, groups, periods }) {
  const said = [plural(documents, "document")];
  if (groups.length) said.push(`${by}: ${groups.length > 6 ? plural(groups.length, "group") : groups.join(", ")}`);
  if (periods.length) said.push(`${periods[0].name} to ${periods.at(-1).name} by ${time}`);
  if (empty) said.push(`${count(empty)} without a word that the model knows`);
  if (ungrouped) said.push(`${count(ungrouped)} without ${by}`);
  if (undated) said.push(`${count(undated)} without a date`);
  return said.join(" · ");
}

const SORTS = [
  ["size", "largest", () => true, (one, other) => other.share - one.share],
  [
    "change",
    "changing most",
    ({ periods }) => periods.length > 1,
    (one, other) => size(other.change) - size(one.change),
  ],
  [
    "difference",
    "differing most",
    ({ groups }) => groups.length > 1,
    (one, other) => size(other.difference) - size(one.difference),
  ],
];

const size = (value) => Math.abs(value ?? 0);

function topicSection(collection, { kind, topics }, asked) {
  const sorts = SORTS.filter(([, , isPossible]) => isPossible(collection));
  const [sort, , , compare] = sorts.find(([name]) => name === asked.sort) ?? sorts[0];
  const rows = topics.map((topic, place) => ({ ...topic, place })).sort((one, other) => compare(one, other));
  const list = h("div", {});
  const field = h("input", {
    type: "search",
    "aria-label": "Filter the topics by name or word",
    placeholder: "Filter …",
  });
  const show = (n) => put(list, topicList(collection, rows, asked, field.value.trim().toLowerCase(), n, show));
  field.addEventListener("input", () => show(N_SHOWN));
  show(N_SHOWN);
  const sorting = sorts.map(([name, title]) =>
    h("a", { href: addressOf("documents", { ...asked, sort: name }), "aria-current": name === sort && "true" }, title),
  );
  return h(
    "section",
    {},
    sectionHead(
      `${count(topics.length)} ${kind}s`,
      csvButton(`topics-${asked.level}`, () => savedRows(collection, topics)),
    ),
    h(
      "div",
      { class: "documents-tools" },
      levelLinks(collection, asked.level, (level) => addressOf("documents", { ...asked, level })),
      sorts.length > 1 && h("nav", { class: "segments", "aria-label": "Order of the topics" }, sorting),
      field,
    ),
    collection.groups.length <= MOST_DOTS && groupLegend(collection),
    list,
  );
}

function topicList(collection, rows, { level }, text, n, show) {
  const found = text
    ? rows.filter(({ name, words }) => `${name} ${words.join(" ")}`.toLowerCase().includes(text))
    : rows;
  if (!found.length) return h("p", { class: "quiet" }, "No topic has this in its name or among its words.");
  const largest = Math.max(...found.map((row) => row.share));
  return [
    h(
      "ul",
      { class: "topic-rows", role: "list" },
      found.slice(0, n).map((row) => topicRow(collection, level, row, largest)),
    ),
    found.length > n &&
      h("button", { type: "button", onclick: () => show(Infinity) }, `Show all ${count(found.length)}`),
  ];
}

function topicRow(collection, level, row, largest) {
  const { groups, periods } = collection;
  return h(
    "li",
    {},
    h(
      "div",
      { class: "topic-name" },
      h("a", { href: topicAddress(level, row.place) }, row.name),
      h("small", {}, row.words.slice(0, N_WORDS).join(", ")),
    ),
    h("div", { class: "topic-size" }, bar(row.share / largest, share(row.share)), h("span", {}, share(row.share))),
    periods.length > 1 &&
      h(
        "div",
        { class: "topic-trend" },
        sparkline(row.series, `${row.name} over time`),
        row.change !== null && effect(points(row.change), row.change_stands_out),
      ),
    groups.length > 1 &&
      h(
        "div",
        { class: "topic-groups" },
        groups.length <= MOST_DOTS && groupDots(row.shares, groups),
        row.group !== null &&
          effect(
            [
              h("span", { class: "group-name", style: groupTone(row.group) }, groups[row.group]),
              ` ${points(row.difference)}`,
            ],
            row.difference_stands_out,
          ),
      ),
  );
}

/** A number that stands out is bold; others are grey. */
const effect = (content, standsOut) =>
  h("small", { class: standsOut ? "stands-out" : "quiet", title: standsOut ? "stands out (q < 0.05)" : null }, content);

function savedRows({ groups, periods }, topics) {
  return topics.map((row) => ({
    topic: row.topic,
    name: row.name,
    share: row.share,
    low: row.low,
    high: row.high,
    documents: row.documents,
    words: row.words.join(" "),
    ...(periods.length > 1 ? { change: row.change, change_stands_out: String(row.change_stands_out) } : {}),
    ...Object.fromEntries(groups.map((name, group) => [`share in ${name}`, row.shares[group]])),
    ...Object.fromEntries(periods.map(({ name }, place) => [`share in ${name}`, row.series[place]])),
  }));
}

function mapFold(collection, asked) {
  return fold(
    "documents-map",
    "The atoms on the map, by how much the documents are about them",
    () => prevalenceMap(collection, asked.group === undefined ? null : Number(asked.group)),
    { kind: "large" },
  );
}
