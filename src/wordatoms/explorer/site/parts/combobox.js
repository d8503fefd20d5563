// A text field with suggestions (the ARIA combobox pattern: arrows, Enter, Escape).

import { announce, freshId, h, put } from "../dom.js";
import { plural } from "../numbers.js";

const PAUSE = 90; // ms after the last key before suggestions are fetched

/**
 * `suggest(text)` resolves to a list of {value, label, hint}; `choose(value, text)` is called with the chosen value, or
 * null if Enter was pressed without a choice.
 */
export function combobox({ label, placeholder, suggest, choose, value = "", large = false }) {
  const list = h("ul", {
    class: "options",
    role: "listbox",
    id: freshId("options"),
    "aria-label": label,
    hidden: true,
  });
  const input = h("input", {
    type: "search",
    role: "combobox",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    enterkeyhint: "search",
    "aria-label": label,
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": list.id,
    placeholder,
    value,
    "data-search": true,
  });
  const box = h("div", { class: `combobox${large ? " large" : ""}` }, input, list);
  new Combobox(box, input, list, suggest, choose).listen();
  return box;
}

class Combobox {
  constructor(box, input, list, suggest, choose) {
    Object.assign(this, { box, input, list, suggest, choose, options: [], active: -1, turn: 0 });
  }

  listen() {
    this.input.addEventListener("input", () => this.wait());
    this.input.addEventListener("keydown", (event) => this.press(event));
    this.box.addEventListener("focusout", (event) => this.box.contains(event.relatedTarget) || this.close());
    this.list.addEventListener("pointerdown", (event) => event.preventDefault()); // keep the focus in the field
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.pick(this.options[[...this.list.children].indexOf(option)].value);
    });
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.update(), PAUSE);
  }

  async update() {
    const text = this.input.value.trim();
    const turn = ++this.turn;
    const found = text ? await this.suggest(text).catch(() => []) : [];
    if (turn === this.turn) this.open(found); // answers may arrive out of order
  }

  open(options) {
    this.options = options;
    put(
      this.list,
      options.map((option) =>
        h(
          "li",
          { role: "option", id: freshId("option"), "aria-selected": "false" },
          h("span", {}, option.label),
          option.hint && h("small", {}, option.hint),
        ),
      ),
    );
    this.activate(-1);
    this.show(options.length > 0);
    if (options.length) announce(plural(options.length, "suggestion"));
  }

  show(isOpen) {
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
  }

  close() {
    clearTimeout(this.timer);
    this.turn++;
    this.activate(-1);
    this.show(false);
  }

  activate(place) {
    this.active = place;
    [...this.list.children].forEach((item, k) => item.setAttribute("aria-selected", String(k === place)));
    const item = this.list.children[place];
    if (item) item.scrollIntoView({ block: "nearest" });
    if (item) this.input.setAttribute("aria-activedescendant", item.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  press(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      this.move(step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.pick(this.options[this.active]?.value);
    } else if (event.key === "Escape") {
      event.preventDefault(); // the browser would empty the field
      if (this.list.hidden) this.input.value = "";
      this.close();
    }
  }

  move(step) {
    if (this.list.hidden) {
      this.update();
      return;
    }
    const n = this.options.length + 1; // the last position is the field itself
    this.activate(((this.active + 1 + step + n) % n) - 1);
  }

  pick(value) {
    const text = this.input.value.trim();
    this.close();
    if (value !== undefined) this.choose(value, text);
    else if (text) this.choose(null, text);
  }
}
