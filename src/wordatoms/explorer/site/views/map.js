// All atoms in the plane, with a legend, a search, and a panel for what was selected: an atom, a word, a group.

import { ask, thing } from "../api.js";
import { csvButton } from "../csv.js";
import { announce, h, put } from "../dom.js";
import { Chart } from "../map/chart.js";
import { legend } from "../map/legend.js";
import { findOverlays, overlayChoice } from "../map/overlays.js";
import { Points } from "../map/points.js";
import { count, plural } from "../numbers.js";
import { pictureButtons } from "../pictures.js";
import { atomList } from "../parts/atoms.js";
import { combobox } from "../parts/combobox.js";
import { failure, fillWhenReady, loading } from "../parts/states.js";
import { addressOf, goTo } from "../router.js";
import { amountText, hasAtom } from "../senses.js";
import { atomSections } from "./atom.js";

const MOST_FOUND = 12;
const NARROW = 640; // px
const KEPT = ["q", "word", "meta", "region", "over"]; // parts of the address: which atoms light up, what is laid over
const MOST_LISTED = 40; // atoms of an overlay

export function open(route, context) {
  const view = new MapView(context);
  view.start(route);
  return { element: view.element, update: (next) => view.update(next), close: () => view.close() };
}

class MapView {
  constructor({ setTitle }) {
    this.setTitle = setTitle;
    this.hint = h("p", { class: "map-hint", role: "status" });
    this.panel = h("aside", { class: "map-panel card", "aria-label": "What is selected", hidden: true, tabindex: -1 });
    this.element = h("div", { class: "map" }, loading("Loading the atoms …"));
    this.element.addEventListener("keydown", (event) => this.dismiss(event));
    this.query = {};
  }

  /** The address of the map without what lights up. */
  get plain() {
    return addressOf("map", { over: this.query.over });
  }

  /** Escape closes the panel, from wherever in the map. */
  dismiss(event) {
    if (event.key !== "Escape" || event.defaultPrevented || this.panel.hidden) return;
    if (this.atom >= 0) goTo(addressOf("map", this.query));
    else if (this.isListed) this.closePanel();
    else goTo(this.plain);
  }

  async start(route) {
    this.setTitle("The map of atoms");
    try {
      const [answer, overlays] = await Promise.all([ask("atoms"), findOverlays()]);
      if (this.isClosed) return;
      this.overlays = overlays;
      this.points = new Points(answer, innerWidth > innerHeight);
      this.chart = new Chart(this.points, {
        choose: (atom) => this.choose(atom),
        describe: (atom) => this.describe(atom),
        covered: () => this.covered(),
      });
      this.legend = legend(this.points, (group) => this.chart.painter.colour(group));
      this.legend.element?.addEventListener("toggle", () => this.chart.isOverview && this.chart.showAll());
      this.choice = overlayChoice(overlays, (over) => goTo(addressOf("map", { ...this.query, over })));
      this.tools = h("div", { class: "map-tools" }, this.search(), this.choice, this.legend.element);
      const title = h("h1", { class: "unseen" }, "The map of atoms");
      put(this.element, title, this.tools, this.chart.canvas, this.panel, this.buttons(), this.hint);
      this.update(route);
    } catch (error) {
      put(this.element, failure(error));
    }
  }

  close() {
    this.isClosed = true;
    this.legend?.close();
    this.chart?.close();
  }

  search() {
    const box = combobox({
      label: "Search the atoms",
      placeholder: "Find atoms …",
      suggest: (text) => this.find(text),
      choose: (address, text) => (address ? goTo(address) : this.openFirst(text)),
    });
    this.field = box.querySelector("input");
    box.addEventListener("input", (event) => event.target.value || goTo(this.plain, { replace: true }));
    const list = () => addressOf("atoms", { q: this.field.value.trim() });
    const toList = h("a", { class: "button", href: addressOf("atoms"), title: "The atoms as a list" }, "List");
    toList.addEventListener("pointerdown", () => toList.setAttribute("href", list()));
    toList.addEventListener("focus", () => toList.setAttribute("href", list()));
    return h("div", { class: "map-search", role: "search", "aria-label": "Atoms on the map" }, box, toList);
  }

  async find(text) {
    const { over } = this.query;
    const [found, words] = await Promise.all([ask("search", { q: text }), ask("complete", { q: text, n: 1 })]);
    const known = words.filter((word) => word === text.toLowerCase() || word === text);
    return [
      ...known.map((word) => ({ value: addressOf("map", { word, over }), label: word, hint: "its senses together" })),
      ...found.slice(0, MOST_FOUND).map(({ atom, label, why }) => ({
        value: addressOf("map", "atom", atom, { q: text, over }),
        label,
        hint: why,
      })),
    ];
  }

  /** Enter without a choice opens the first atom found, and all of them light up. */
  async openFirst(text) {
    const query = { q: text, over: this.query.over };
    const found = await ask("search", { q: text }).catch(() => []);
    goTo(found.length ? addressOf("map", "atom", found[0].atom, query) : addressOf("map", query));
  }

  buttons() {
    const { zoom, reset } = this.chart.hands();
    const button = (sign, label, onclick) =>
      h("button", { type: "button", "aria-label": label, title: label, onclick }, sign);
    return h(
      "div",
      { class: "map-buttons" },
      button("+", "Zoom in", () => zoom(1.5)),
      button("−", "Zoom out", () => zoom(1 / 1.5)),
      button("⌂", "Show all", reset),
      h(
        "span",
        { class: "saves" },
        pictureButtons("map-of-atoms", () => this.chart.drawSvg()),
      ),
    );
  }

  describe(atom) {
    const { points } = this;
    const group = points.region ? "region" : "meta-atom";
    if (atom < 0) this.hint.textContent = this.remark ?? `${count(points.length)} atoms, coloured by ${group}.`;
    else
      this.hint.textContent = [
        points.labels[atom],
        points.overlay ? points.overlay.note(atom) : plural(points.nWords[atom], thing()),
        points.metas[points.meta[atom]]?.name,
      ]
        .filter(Boolean)
        .join(" · ");
  }

  choose(atom) {
    goTo(atom >= 0 ? addressOf("map", "atom", atom, this.query) : addressOf("map", this.query));
  }

  update({ args: [kind, number], query }) {
    if (!this.chart) return false;
    this.query = Object.fromEntries(KEPT.filter((name) => query[name]).map((name) => [name, query[name]]));
    this.atom = kind === "atom" && Number(number) < this.points.length ? Number(number) : -1;
    this.chart.mark({ chosen: this.atom });
    this.legend.mark(this.query);
    if (this.choice) this.choice.value = this.overlays.has(query.over) ? query.over : "";
    this.field.value = query.q ?? query.word ?? "";
    this.setTitle(this.atom < 0 ? this.titleOf(query) : `${this.points.labels[this.atom]} on the map`);
    this.show();
    return true;
  }

  titleOf({ q, word }) {
    const what = word ?? q;
    return what ? `${what} on the map of atoms` : "The map of atoms";
  }

  /** Light up the atoms of the address, and fill the panel. */
  async show() {
    const mine = (this.turn = (this.turn ?? 0) + 1);
    if (this.atom >= 0) this.openPanel(() => this.atomPanel(this.atom));
    const failed = (error) => ({ title: error.message, atoms: [], rows: [] });
    const [found, overlay] = await Promise.all([this.findAll().catch(failed), this.findOverlay()]);
    if (mine !== this.turn || this.isClosed) return;
    this.chart.lay(overlay);
    this.remark = found?.title ?? overlay?.remark;
    this.hint.classList.toggle("remark", Boolean(this.remark));
    this.describe(-1);
    this.chart.mark({ found: found && new Set(found.atoms), names: found?.names });
    if (this.atom < 0 && found?.rows.length) this.openPanel(() => this.listPanel(found));
    else if (this.atom < 0 && overlay && !found) this.openPanel(() => this.overlayPanel(overlay));
    else if (this.atom < 0) this.closePanel();
    this.isListed = this.atom < 0 && overlay && !found;
    if (this.atom >= 0) this.chart.flyTo(this.atom);
    else if (found || this.chart.isOverview) this.chart.showAll();
  }

  /** The overlay of the address, once for this visit of the map; null if there is none, or it cannot be had. */
  async findOverlay() {
    const asked = this.overlays.get(this.query.over);
    if (!asked) return null;
    asked.coming ??= asked.make();
    try {
      return await asked.coming;
    } catch (error) {
      asked.coming = undefined;
      announce(error.message);
      return null;
    }
  }

  /** The atoms that light up and a title for them; null if the address names none. */
  async findAll() {
    const { q, word, meta, region } = this.query;
    if (word) return this.sensesOf(await ask("word", { word }));
    if (q) {
      const found = await ask("search", { q });
      const rows = found.map(({ atom, label, why }) => ({ atom, label, note: why }));
      return { title: `${plural(rows.length, "atom")} for “${q}”`, atoms: rows.map(({ atom }) => atom), rows };
    }
    const group = meta === undefined ? this.points.regions[region] : this.points.metas[meta];
    if (!group) return null;
    const rows = group.atoms.map((atom) => ({ atom, label: this.points.labels[atom] }));
    return { title: `${group.name}: ${plural(rows.length, "atom")}`, atoms: group.atoms, rows, meta };
  }

  sensesOf({ word, senses }) {
    const rows = senses.filter(hasAtom).map((sense) => ({ ...sense, note: amountText(sense) }));
    const title = `${plural(rows.length, "sense")} of “${word}”`;
    const names = new Map(rows.map(({ atom }) => [atom, namesOf(rows, atom)])); // senses may share an atom
    return { title, atoms: [...names.keys()], rows, word, names };
  }

  openPanel(make) {
    this.panel.hidden = false;
    fillWhenReady(this.panel, make);
  }

  closePanel() {
    if (this.panel.contains(document.activeElement)) this.chart.canvas.focus({ preventScroll: true });
    this.panel.hidden = true;
    put(this.panel);
  }

  /** How much of the map is covered: by the legend and the panel, or on a narrow screen by search and panel. */
  covered() {
    const { clientWidth: width, clientHeight: height } = this.element;
    const isOpen = !this.panel.hidden;
    if (width < NARROW)
      return { top: this.field.closest(".map-search").offsetHeight, below: isOpen ? height * 0.5 : 0 };
    const { element } = this.legend;
    return { left: element?.open ? element.offsetWidth : 0, right: isOpen ? this.panel.offsetWidth : 0 };
  }

  panelHead(title, leave) {
    const close = h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: leave }, "✕");
    return h("header", {}, h("h2", {}, title), close);
  }

  listPanel({ title, rows, word, meta }) {
    const saved = rows.map(({ atom, label, note }) => ({ atom, label, note }));
    const more = word ? addressOf("word", word) : meta && addressOf("meta", meta);
    return [
      this.panelHead(title, () => goTo(this.plain)),
      h(
        "p",
        { class: "panel-line" },
        more ? h("a", { href: more }, "open page") : h("span"),
        csvButton(`map-${word ?? title}`, () => saved),
      ),
      atomList(rows, (atom) => addressOf("map", "atom", atom, this.query)),
    ];
  }

  async atomPanel(atom) {
    const [answer, overlay] = await Promise.all([ask("atom", atom), this.findOverlay()]);
    return [
      this.panelHead(answer.label, () => goTo(addressOf("map", this.query))),
      h(
        "p",
        { class: "quiet" },
        `Atom ${answer.atom} · ${plural(answer.n_words, thing())} · `,
        h("a", { href: addressOf("atom", answer.atom) }, "open page"),
      ),
      overlay && overlayLine(overlay, answer.atom),
      atomSections(answer, (atom) => addressOf("map", "atom", atom, this.query)),
    ];
  }

  /** The atoms with the largest values; the table to save has all of them. */
  overlayPanel({ title, values, note }) {
    const { labels, order } = this.points;
    const rows = Array.from(order, (atom) => ({ atom, label: labels[atom], value: values[atom] }));
    const leave = () => {
      this.closePanel();
      this.chart.showAll();
    };
    return [
      this.panelHead(title, leave),
      h(
        "p",
        { class: "panel-line" },
        h("span"),
        csvButton(`map-${title}`, () => rows),
      ),
      atomList(
        rows.slice(0, MOST_LISTED).map(({ atom, label }) => ({ atom, label, note: note(atom) })),
        (atom) => addressOf("map", "atom", atom, this.query),
      ),
    ];
  }
}

/** What an overlay says of one atom. */
function overlayLine({ title, note, linkOf }, atom) {
  const link = linkOf(atom);
  return h("p", {}, `${title}: ${note(atom)}`, link && [" · ", h("a", { href: addressOf(...link) }, "passages")]);
}

const namesOf = (rows, atom) =>
  rows
    .filter((row) => row.atom === atom)
    .map(({ label }) => label)
    .join(" / ");
