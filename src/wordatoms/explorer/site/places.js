// Where the reader was on each page of this visit: how far down, what was unfolded, which link was followed. A browser
// keeps this for pages of their own; here all pages are one document, so it is kept for each entry of the history.

const STORED = "wordatoms-places";
const MOST = 200;

const places = load();
let current = null; // the key of the page that is shown
let unfinished = null; // an arrival whose page is not there yet

/** Call once: from now on the page decides about scrolling, not the browser. */
export function keepPlaces() {
  history.scrollRestoration = "manual";
  addEventListener("scroll", () => unfinished || note({ top: scrollY }), { passive: true });
  addEventListener("pagehide", store);
}

/**
 * Call when the address has changed, before anything is shown: "new" if a link led here, "back" if the reader was here
 * before, "same" if only a detail of the page has changed.
 */
export function arrive() {
  const key = history.state?.key;
  if (key && key === current) return unfinished ?? { kind: "same" };
  if (current) note({ open: openFolds(), link: followedLink() });
  const isFirst = current === null;
  unfinished = { kind: key && places.has(key) ? "back" : "new", isFirst, from: document.activeElement };
  current = key ?? newKey();
  if (!key) history.replaceState({ key: current }, "");
  return unfinished;
}

/** Call when the content of the page is there; `settled` waits for what unfolding loads. */
export async function takePlace(arrival, main, settled) {
  if (arrival.kind === "same") return;
  const place = arrival.kind === "back" ? places.get(current) : {};
  if (place.open?.length) await unfold(main, place.open, settled);
  if (arrival !== unfinished) return; // the reader went on
  scrollTo({ top: place.top ?? 0, behavior: "instant" });
  if (!arrival.isFirst) takeFocus(main, place.link, arrival.from);
  unfinished = null;
}

/** To the link that was followed from here, else to the heading; not away from what is still there or being used. */
function takeFocus(main, link, from) {
  const active = document.activeElement;
  if (active === from ? main.contains(from) : active?.matches("input, textarea, select")) return;
  const followed = link && [...main.querySelectorAll("a[href]")].find((each) => each.getAttribute("href") === link);
  const target = followed || main.querySelector("h1") || main;
  if (!followed) target.setAttribute("tabindex", "-1");
  target.focus({ preventScroll: true });
}

function followedLink() {
  const link = document.activeElement?.closest("main a[href]");
  return link?.getAttribute("href");
}

const openFolds = () => [...document.querySelectorAll("details[open][data-fold]")].map((fold) => fold.dataset.fold);

async function unfold(main, keys, settled) {
  for (const fold of main.querySelectorAll("details[data-fold]")) fold.open = keys.includes(fold.dataset.fold);
  await new Promise((resolve) => setTimeout(resolve)); // unfolding is told a moment later
  await settled();
}

function note(more) {
  if (!current) return;
  const before = places.get(current);
  places.delete(current); // the latest ones come last
  places.set(current, { ...before, ...more });
  if (places.size > MOST) places.delete(places.keys().next().value);
}

const newKey = () => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

function load() {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(STORED)) ?? []);
  } catch {
    return new Map(); // without storage places last until the page is loaded again
  }
}

function store() {
  note({ open: openFolds() });
  try {
    sessionStorage.setItem(STORED, JSON.stringify([...places]));
  } catch {
    // see above
  }
}
