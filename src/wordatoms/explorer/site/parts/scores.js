// Precision and recall in the lineup: yours, the machine's, the paper's.

import { h } from "../dom.js";
import { percent, plural } from "../numbers.js";
import { bar, columnHead, dataTable } from "./words.js";

const MEANING = "Precision: the share of your choices that are right. Recall: the share of senses that you found. ";

/** `rounds` are all rounds played, including the last one. */
export function scoreTable(answer, rounds) {
  const heads = ["", "Precision", "Recall"].map((name) => columnHead(name));
  const { humans } = answer.paper;
  return h(
    "div",
    { class: "card" },
    dataTable("scores", "Scores", heads, scores(answer, rounds).map(row)),
    h("p", { class: "quiet" }, MEANING, typeof humans === "string" && humans),
  );
}

function scores({ you, machine_score: machine, machine4_score: four, paper }, rounds) {
  const people = typeof paper.humans === "object" ? Object.entries(paper.humans ?? {}) : [];
  return [
    ["You", you, "you"],
    ["The machine, as many choices as you", machine],
    ["The machine, up to four", four],
    ...(rounds.length > 1 ? overall(rounds) : []),
    ["The paper’s machine, four", paper.machine],
    ...people.map(([who, score]) => [`The paper’s ${who}`, score]),
  ];
}

function overall(rounds) {
  const mean = (name) => rounds.reduce((sum, each) => sum + each[name], 0) / rounds.length;
  const both = (who) => ({ precision: mean(`${who}_precision`), recall: mean(`${who}_recall`) });
  const played = plural(rounds.length, "word");
  return [
    [`You, ${played}`, both("your"), "you"],
    [`The machine, as many choices, ${played}`, both("machine")],
    [`The machine, up to four, ${played}`, both("machine4")],
  ];
}

function row([who, score, kind]) {
  return h(
    "tr",
    { class: kind },
    h("th", { scope: "row" }, who),
    ["precision", "recall"].map((name) =>
      h("td", {}, percent(score[name]), bar(score[name], `${name} ${percent(score[name])}`)),
    ),
  );
}
