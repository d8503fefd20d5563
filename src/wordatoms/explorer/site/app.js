// The frame around the views: which one an address asks for, the navigation, keys that work everywhere.

import { model } from "./api.js";
import { announce, h, put } from "./dom.js";
import { arrive, keepPlaces, takePlace } from "./places.js";
import { takeToken } from "./editing.js";
import { parseAddress } from "./router.js";
import { failure, settled } from "./parts/states.js";
import { focusSearch, wordSearch } from "./parts/search.js";
import { setUpTheme } from "./theme.js";
import { availableViews, findView } from "./views.js";

const main = document.getElementById("main");
let shown = { view: null, handle: null };
let turn = 0;

async function start() {
  takeToken();
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
  keepPlaces();
  addEventListener("hashchange", follow);
  await follow();
}

function showNavigation(facts) {
  const listed = availableViews(facts).filter(({ title }) => title);
  put(
    document.getElementById("views"),
    listed.map(({ name, title }) => h("a", { href: `#/${name}`, "data-view": name }, titleOf(name, title, facts))),
  );
}

/** Show the view of the current address; an unknown address shows the start page. */
async function follow() {
  const route = parseAddress(location.hash);
  const view = findView(route.view);
  const mine = ++turn;
  const arrival = arrive();
  markCurrent(view);
  if (view !== shown.view || !shown.handle?.update?.(route)) {
    const module = await import(`./views/${view.name}.js`);
    if (mine !== turn) return;
    show(view, route, module);
  }
  await settled();
  if (mine === turn) await takePlace(arrival, main, settled);
}

function show(view, route, module) {
  shown.handle?.close?.();
  document.body.dataset.view = view.name;
  const handle = module.open(route, { setTitle });
  shown = { view, handle };
  put(main, handle.element);
}

function markCurrent({ name, under = name }) {
  for (const link of document.querySelectorAll("#views a")) {
    if (link.dataset.view === under) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

const titleOf = (name, title, facts) => (name === "word" && facts.kind === "items" ? "Item" : title);

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
