// All atoms in the plane, and a panel for the selected one.

import { ask } from "../api.js";
import { h, put } from "../dom.js";
import { Chart } from "../map/chart.js";
import { Points } from "../map/points.js";
import { count, plural } from "../numbers.js";
import { combobox } from "../parts/combobox.js";
import { failure, fillWhenReady, loading } from "../parts/states.js";
import { addressOf, goTo } from "../router.js";
import { atomSections } from "./atom.js";

const MOST_FOUND = 12;

export function open(route, context) {
  const view = new MapView(context);
  view.start(route);
  return { element: view.element, update: (next) => view.update(next), close: () => view.close() };
}

class MapView {
  constructor({ setTitle }) {
    this.setTitle = setTitle;
    this.hint = h("p", { class: "map-hint" });
    this.panel = h("aside", { class: "map-panel card", "aria-label": "The selected atom", hidden: true });
    this.element = h("div", { class: "map" }, loading("Loading the atoms …"));
  }

  async start(route) {
    this.setTitle("The map of atoms");
    try {
      const { atoms, metas, hidden } = await ask("atoms");
      if (this.isClosed) return;
      this.metas = metas;
      this.points = new Points(atoms, hidden, innerWidth > innerHeight);
      this.chart = new Chart(this.points, {
        choose: (atom) => this.choose(atom),
        describe: (atom) => this.describe(atom),
      });
      put(this.element, this.chart.canvas, this.search(), this.panel, this.buttons(), this.hint);
      this.describe(-1);
      this.update(route);
    } catch (error) {
      put(this.element, failure(error));
    }
  }

  close() {
    this.isClosed = true;
    this.chart?.close();
  }

  search() {
    const box = combobox({
      label: "Search the atoms",
      placeholder: "Find atoms by word or label …",
      suggest: (text) => this.find(text),
      choose: (atom, text) => this.showFound(atom, text),
    });
    box.addEventListener("input", (event) => event.target.value || this.chart.mark({ found: null }));
    return h("div", { class: "map-search", role: "search" }, box);
  }

  async find(text) {
    const found = await ask("search", { q: text });
    return found.slice(0, MOST_FOUND).map(({ atom, label, why }) => ({ value: atom, label, hint: why }));
  }

  /** Enter without a choice highlights all atoms found. */
  async showFound(atom, text) {
    if (atom !== null) {
      this.choose(atom);
      return;
    }
    try {
      const found = await ask("search", { q: text });
      this.chart.mark({ found: new Set(found.map(({ atom }) => atom)) });
      this.hint.textContent = `${plural(found.length, "atom")} for “${text}”`;
    } catch (error) {
      this.hint.textContent = error.message;
    }
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
    );
  }

  describe(atom) {
    const { points, metas } = this;
    if (atom < 0)
      this.hint.textContent = `${count(points.length)} atoms, coloured by meta-atom. Drag, zoom, or click an atom.`;
    else
      this.hint.textContent = [points.labels[atom], plural(points.nWords[atom], "word"), metas[points.meta[atom]]]
        .filter(Boolean)
        .join(" · ");
  }

  choose(atom) {
    goTo(atom >= 0 ? addressOf("map", "atom", atom) : addressOf("map"));
  }

  update({ args: [kind, number] }) {
    if (!this.chart) return false;
    const atom = kind === "atom" && Number(number) < this.points.length ? Number(number) : -1;
    this.chart.mark({ chosen: atom });
    this.panel.hidden = atom < 0;
    this.setTitle(atom < 0 ? "The map of atoms" : `${this.points.labels[atom]} on the map`);
    if (atom < 0) put(this.panel);
    else this.show(atom);
    return true;
  }

  show(atom) {
    this.chart.flyTo(atom, this.coveredBy(this.panel));
    fillWhenReady(this.panel, async () => this.panelOf(await ask("atom", atom)));
  }

  /** How much of the map the panel covers: at the right, or on a narrow screen at the bottom. */
  coveredBy(panel) {
    const { clientWidth: width, clientHeight: height } = this.element;
    return panel.offsetWidth < width * 0.9
      ? { right: panel.offsetWidth, below: 0 }
      : { right: 0, below: height * 0.52 };
  }

  panelOf(answer) {
    const close = h(
      "button",
      { type: "button", class: "plain", "aria-label": "Close", onclick: () => this.choose(-1) },
      "✕",
    );
    return [
      h("header", {}, h("h2", {}, answer.label), close),
      h(
        "p",
        { class: "quiet" },
        `Atom ${answer.atom} · ${plural(answer.n_words, "word")} · `,
        h("a", { href: addressOf("atom", answer.atom) }, "open page"),
      ),
      atomSections(answer, (atom) => addressOf("map", "atom", atom)),
    ];
  }
}
