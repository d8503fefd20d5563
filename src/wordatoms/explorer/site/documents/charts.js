// Charts as SVG: shares over time, shares of groups with intervals, a small line in a row of a table.

import { h, svg } from "../dom.js";
import { groupTone, points, share } from "./shared.js";

const [WIDTH, HEIGHT] = [640, 260];
const EDGE = { left: 52, right: 14, top: 12, bottom: 34 };
const MOST_NAMES = 7;

/** 1, 2 or 5 times a power of ten that cuts a span into three to seven parts. */
function stepOf(span) {
  const power = 10 ** Math.floor(Math.log10(span / 3));
  return [5, 2, 1].map((factor) => factor * power).find((step) => step <= span / 3 + 1e-12) ?? power;
}

const ticksOf = (low, high) => {
  const step = stepOf(high - low || 1);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, k) => (first + k) * step);
};

/**
 * Shares over time. `lines` are {name, tone, points}, and a point is {x, y, low, high}; `names` tells what numbers of
 * the x-axis are called.
 */
export function timeChart(lines, names, label) {
  const all = lines.flatMap((line) => line.points);
  const xs = [...names.keys()];
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const top = Math.max(...all.map(({ y, high }) => Math.max(y, high ?? 0)), 1e-6);
  const placeX = (x) => EDGE.left + ((WIDTH - EDGE.left - EDGE.right) * (x - first)) / (last - first || 1);
  const placeY = (y) => HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * y) / top;
  const shown = xs.filter((_, k) => k % Math.ceil(xs.length / MOST_NAMES) === 0);
  const grid = ticksOf(0, top).map((y) => [
    svg("line", { class: "grid", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: placeY(y), y2: placeY(y) }),
    svg("text", { class: "tick end", x: EDGE.left - 7, y: placeY(y) + 4 }, share(y)),
  ]);
  const dates = shown.map((x) => svg("text", { class: "tick middle", x: placeX(x), y: HEIGHT - 10 }, names.get(x)));
  const draw = ({ name, tone, points: own }) => {
    const place = ({ x, y }) => `${placeX(x).toFixed(1)},${placeY(y).toFixed(1)}`;
    const known = own.filter(({ low }) => low !== null);
    const band = [
      ...known.map(({ x, high }) => ({ x, y: high })),
      ...known.map(({ x, low }) => ({ x, y: low })).reverse(),
    ];
    return svg(
      "g",
      { class: "series", style: tone },
      known.length > 1 && svg("polygon", { class: "band", points: band.map(place).join(" ") }),
      svg("polyline", { points: own.map(place).join(" ") }),
      own.map((point) =>
        svg(
          "circle",
          { cx: placeX(point.x), cy: placeY(point.y), r: 3 },
          svg("title", {}, `${name}, ${names.get(point.x)}: ${said(point)}`),
        ),
      ),
    );
  };
  return h(
    "div",
    { class: "chart-scroll", tabindex: 0, role: "region", "aria-label": label },
    svg(
      "svg",
      { class: "documents-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
      grid,
      dates,
      lines.map(draw),
    ),
  );
}

const said = ({ y, low, high }) => share(y) + (low === null ? "" : ` (${share(low)} to ${share(high)})`);

/** Values with intervals, a row for each; `rows` are {name, tone, value, low, high, note}. */
export function intervalRows(rows, { signed = false } = {}) {
  const numbers = rows.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value, 0]);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const place = (value) => (100 * (value - least)) / (most - least || 1);
  const format = signed ? points : share;
  const row = ({ name, tone, value, low, high, note }) =>
    h(
      "li",
      { style: tone },
      h("span", { class: "interval-name" }, name),
      h(
        "span",
        { class: "interval-track", "aria-hidden": "true" },
        signed && h("span", { class: "interval-zero", style: { "--at": place(0) } }),
        low !== null && h("span", { class: "interval-whisker", style: { "--from": place(low), "--to": place(high) } }),
        h("span", { class: "interval-dot", style: { "--at": place(value) } }),
      ),
      h(
        "span",
        { class: "interval-value" },
        format(value),
        low !== null && h("small", {}, ` ${format(low)} to ${format(high)}`),
        note && h("small", { class: "stands-out" }, ` ${note}`),
      ),
    );
  return h("ul", { class: "interval-rows", role: "list" }, rows.map(row));
}

/** A line without axes; gaps where there is no number. */
export function sparkline(values, label) {
  const known = values.map((y, x) => ({ x, y })).filter(({ y }) => y !== null);
  if (known.length < 2) return null;
  const top = Math.max(...known.map(({ y }) => y), 1e-9);
  const place = ({ x, y }) => `${((96 * x) / (values.length - 1) + 2).toFixed(1)},${(22 - (20 * y) / top).toFixed(1)}`;
  return svg(
    "svg",
    { class: "sparkline", viewBox: "0 0 100 24", role: "img", "aria-label": label },
    svg("polyline", { points: known.map(place).join(" ") }),
    svg("circle", { cx: place(known.at(-1)).split(",")[0], cy: place(known.at(-1)).split(",")[1], r: 2.2 }),
  );
}

/** The shares of groups as dots on one line. */
export function groupDots(shares, names) {
  const known = shares.flatMap((value, group) => (value === null ? [] : [{ value, group }]));
  const top = Math.max(...known.map(({ value }) => value), 1e-9);
  const label = known.map(({ value, group }) => `${names[group]} ${share(value)}`).join(", ");
  return svg(
    "svg",
    { class: "group-dots", viewBox: "0 0 100 24", role: "img", "aria-label": label },
    svg("line", { x1: 4, x2: 96, y1: 12, y2: 12 }),
    known.map(({ value, group }) =>
      svg(
        "circle",
        { cx: 4 + (92 * value) / top, cy: 12, r: 4, style: groupTone(group) },
        svg("title", {}, `${names[group]}: ${share(value)}`),
      ),
    ),
  );
}
