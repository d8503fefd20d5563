// Tables as CSV files.

import { h } from "./dom.js";
import { saveButton } from "./saving.js";

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
  const text = /^[=+\-@\t]/.test(value) ? `'${value}` : String(value); // a spreadsheet would run it as a formula
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A button that saves the rows that `makeRows` returns when it is pressed. */
export function csvButton(name, makeRows, label = "CSV") {
  const make = () => new Blob([toCsv(makeRows())], { type: "text/csv;charset=utf-8" });
  return saveButton(label, "Download this table as CSV", `${name}.csv`, make);
}
