// The frame around the views: which one an address asks for, the navigation, keys that work everywhere.

import { model } from "./api.js";
import { announce, h, put } from "./dom.js";
import { parseAddress } from "./router.js";
import { failure } from "./parts/states.js";
import { focusSearch, wordSearch } from "./parts/search.js";
import { setUpTheme } from "./theme.js";

/** Modules of views: open(route, context) gives {element, update(route), close()}; the last two may be missing. */
const VIEWS = {
  start: () => import("./views/start.js"),
  word: () => import("./views/word.js"),
  sentence: () => import("./views/sentence.js"),
  map: () => import("./views/map.js"),
  atom: () => import("./views/atom.js"),
  lineup: () => import("./views/lineup.js"),
  compare: () => import("./views/compare.js"),
  report: () => import("./views/report.js"),
  about: () => import("./views/about.js"),
};
const NAVIGATION = [
  ["word", "Word"],
  ["sentence", "Sentence"],
  ["map", "Map"],
  ["lineup", "Lineup"],
  ["compare", "Compare"],
  ["report", "Report"],
];
const BELONGS_TO = { atom: "map" };
const main = document.getElementById("main");
let shown = { view: null, handle: null };
let turn = 0;

async function start() {
  setUpTheme(document.getElementById("theme"));
  document.getElementById("top-search").append(wordSearch());
  document.addEventListener("keydown", shortcut);
  document.querySelector(".skip").addEventListener("click", skipToContent);
  try {
    showNavigation(await model());
  } catch (error) {
    put(main, failure(error));
    return;
  }
  addEventListener("hashchange", follow);
  await follow();
}

function showNavigation({ views }) {
  const wanted = NAVIGATION.filter(([view]) => views.includes(view));
  put(
    document.getElementById("views"),
    [...wanted, ["about", "About"]].map(([view, name]) => h("a", { href: `#/${view}`, "data-view": view }, name)),
  );
}

/** Show what the address asks for. */
async function follow() {
  const route = parseAddress(location.hash);
  const view = route.view in VIEWS ? route.view : "start";
  const mine = ++turn;
  markCurrent(view);
  if (view === shown.view && shown.handle?.update?.(route)) return;
  const module = await VIEWS[view]();
  if (mine === turn) show(view, route, module);
}

function show(view, route, module) {
  shown.handle?.close?.();
  const isFirst = shown.view === null;
  document.body.dataset.view = view;
  const handle = module.open(route, { setTitle });
  shown = { view, handle };
  put(main, handle.element);
  scrollTo(0, 0);
  if (!isFirst && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
}

function markCurrent(view) {
  for (const link of document.querySelectorAll("#views a")) {
    const isCurrent = link.dataset.view === (BELONGS_TO[view] ?? view);
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function setTitle(title) {
  document.title = title ? `${title} · wordatoms` : "wordatoms";
  announce(title);
}

function shortcut(event) {
  const isTyping = event.target.closest("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  focusSearch();
}

function skipToContent(event) {
  event.preventDefault(); // its address would be taken for a view
  main.focus();
}

start();
