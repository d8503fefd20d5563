// Tables as CSV files.

import { h } from "./dom.js";
import { copyButton, saveButton } from "./saving.js";

/** Rows are objects with the same keys; numbers are not rounded. */
export function toCsv(rows) {
  const names = Object.keys(rows[0] ?? {});
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(cell).join(",")}\r\n`)
    .join("");
}

function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = harmless(String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A text that a spreadsheet does not run as a formula; numbers below zero are none. */
const harmless = (text) => (/^[=+\-@\t]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);

/** The same rows, as spreadsheets and word processors take them from the clipboard. */
export function toTsv(rows) {
  const names = Object.keys(rows[0] ?? {});
  const plain = (value) => String(value ?? "").replace(/[\t\r\n]+/g, " ");
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(plain).map(harmless).join("\t")}\n`)
    .join("");
}

/** Two buttons: one saves the rows that `makeRows` returns when it is pressed, the other one copies them. */
export function csvButton(name, makeRows, label = "CSV") {
  const make = () => new Blob([toCsv(makeRows())], { type: "text/csv;charset=utf-8" });
  return h(
    "span",
    { class: "table-buttons" },
    copyButton("Copy this table, to paste it into a spreadsheet", () => toTsv(makeRows())),
    saveButton(label, "Download this table as CSV", `${name}.csv`, make),
  );
}
