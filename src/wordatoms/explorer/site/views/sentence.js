// A text: every word with its likeliest sense, and for one word, how the context decides.

import { ask } from "../api.js";
import { csvButton } from "../csv.js";
import { h, put } from "../dom.js";
import { decimal, percent } from "../numbers.js";
import { encoderTable, posterior, pullsTable, together } from "../parts/meaning.js";
import { empty, fillWhenReady } from "../parts/states.js";
import { sectionHead, shortLabel, tone } from "../parts/words.js";
import { addressOf, goTo } from "../router.js";
import { keyOf } from "../senses.js";

const MOST_LETTERS = 2000;
const STRENGTHS = [
  [0.45, "much"],
  [0.15, "some"],
  [0, "little"],
];
const EXAMPLE = "The spring of the clock broke, and the wheel stopped.";

export function open(route, context) {
  const view = new SentenceView(context);
  view.update(route);
  return { element: view.element, update: (next) => view.update(next) };
}

class SentenceView {
  constructor({ setTitle }) {
    this.setTitle = setTitle;
    this.field = h("textarea", {
      "aria-label": "Your text",
      maxlength: MOST_LETTERS,
      placeholder: EXAMPLE,
      rows: 2,
      onkeydown: (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.submit(event),
    });
    this.reading = h("div", { class: "reading-place" });
    this.panel = h("div", { class: "panel-place", "aria-live": "polite" });
    const form = h(
      "form",
      { class: "sentence-form", onsubmit: (event) => this.submit(event) },
      this.field,
      h(
        "div",
        { class: "actions" },
        h("button", { class: "main" }, "Analyse"),
        h("span", { class: "quiet" }, "Ctrl + Enter"),
      ),
    );
    this.element = h(
      "div",
      { class: "page" },
      h(
        "header",
        { class: "page-head" },
        h("h1", {}, "Which sense is meant?"),
        h("p", { class: "quiet" }, "Paste a text, then click an underlined word."),
      ),
      form,
      this.reading,
      this.panel,
    );
  }

  submit(event) {
    event.preventDefault();
    const text = this.field.value.trim();
    if (text) goTo(addressOf("sentence", text));
  }

  update({ args: [text = "", at, number] }) {
    this.setTitle(text ? `“${text.slice(0, 60)}”` : "A sentence");
    if (text !== this.text) this.read(text);
    this.choose(at === "at" ? Number(number) : null);
    return true;
  }

  read(text) {
    this.text = text;
    this.field.value = text;
    this.tokens = new Map();
    this.ready = text ? ask("sentence", { text }) : null;
    this.ready?.catch(() => {}); // shown below
    fillWhenReady(this.reading, async () => (text ? this.drawReading(await this.ready) : null));
  }

  drawReading(answer) {
    const pieces = [];
    let end = 0;
    answer.tokens.forEach((token, number) => {
      pieces.push(answer.text.slice(end, token.start), this.drawToken(token, number));
      end = token.end;
    });
    return h(
      "div",
      { class: "reading" },
      csvButton("sentence", () => tokenRows(answer)),
      h("div", { class: "row" }, pieces, answer.text.slice(end)),
    );
  }

  drawToken(token, number) {
    const element = token.best?.has_others
      ? this.drawPolysemous(token, number)
      : h("span", { class: "token", title: token.word === null ? "not in the vocabulary" : null }, token.text);
    this.tokens.set(number, element);
    return element;
  }

  drawPolysemous(token, number) {
    const { label, probability, verdict } = token.best;
    const sense = verdict === "not enough context" ? label : `${label} (${percent(probability)})`;
    const toggle = () =>
      goTo(number === this.number ? addressOf("sentence", this.text) : addressOf("sentence", this.text, "at", number), {
        replace: true,
      });
    return h(
      "button",
      {
        type: "button",
        class: "token",
        "data-sense": shortLabel(token.best.label),
        "data-verdict": token.best.verdict === "sense" ? null : token.best.verdict,
        "data-strength": strengthOf(token.best),
        title: sense,
        "aria-label": `${token.text}: ${sense}`,
        "aria-pressed": "false",
        onclick: toggle,
      },
      h("span", {}, token.text),
    );
  }

  async choose(number) {
    this.number = number;
    if (!this.text)
      put(
        this.panel,
        empty("No text yet", h("p", {}, "Try ", h("a", { href: addressOf("sentence", EXAMPLE) }, EXAMPLE))),
      );
    else if (number === null)
      put(
        this.panel,
        h(
          "p",
          { class: "quiet" },
          "Words with several senses are underlined, the more strongly the more the text tells: ",
          "the sense is sure, and not just the usual one. Click a word to see why.",
        ),
      );
    else await fillWhenReady(this.panel, () => this.drawMeaning(number));
    this.ready?.then(
      () => this.markTokens(),
      () => put(this.panel),
    );
  }

  async drawMeaning(number) {
    const { text } = this;
    await this.ready;
    const answer = text === this.text && (await ask("meaning", { text, token: number }));
    if (text !== this.text || number !== this.number) return null; // another word was chosen in the meantime
    this.markTokens();
    if (!answer.meanings.length)
      return empty("No senses", h("p", {}, `The text of the model shows too few uses of “${answer.form}”.`));
    const shown = answer.encoder && this.withEncoder ? together(answer) : answer;
    this.colourBy(shown, 0);
    const name = answer.method === "uses" ? "sense" : "atom";
    const rows = () =>
      answer.pulls.flatMap(({ word, pulls }) =>
        Object.entries(pulls).map(([key, pull]) => ({ target: answer.form, context: word, [name]: Number(key), pull })),
      );
    return [
      sectionHead(
        `“${answer.form}” here`,
        csvButton(`${answer.form}-senses`, () =>
          answer.meanings.map((each) => ({ ...each, nearest: each.nearest.map((near) => near.word).join(" ") })),
        ),
      ),
      answer.encoder && this.encoderSwitch(number),
      posterior(shown, (place) => this.colourBy(shown, place)),
      answer.encoder && this.withEncoder && encoderTable(answer),
      answer.pulls.length > 0 &&
        h(
          "section",
          {},
          sectionHead("How each context word pulls", csvButton(`${answer.form}-pulls`, rows)),
          pullsTable(answer),
        ),
    ];
  }

  /** Whether the senses are those of our reading alone or with the encoder. */
  encoderSwitch(number) {
    return h(
      "p",
      {},
      h(
        "label",
        { class: "switch" },
        h("input", {
          type: "checkbox",
          checked: Boolean(this.withEncoder),
          onchange: (event) => {
            this.withEncoder = event.target.checked;
            this.choose(number);
          },
        }),
        " Read with the encoder",
      ),
    );
  }

  markTokens() {
    for (const [number, element] of this.tokens) {
      if (element.matches("button")) element.setAttribute("aria-pressed", String(number === this.number));
      if (this.number === null) element.classList.remove("pulls");
    }
  }

  /** Shade the words of the text that pull towards the sense at this place in the list. */
  colourBy(answer, place) {
    const key = keyOf(answer.meanings[place]);
    const top = Math.max(...answer.pulls.map(({ pulls }) => Math.abs(pulls[key] ?? 0)), 1e-9);
    this.tokens.forEach((element) => element.classList.remove("pulls"));
    for (const { token, pulls } of answer.pulls) {
      const element = this.tokens.get(token);
      if (!element || !(pulls[key] > 0)) continue;
      element.classList.add("pulls");
      element.style.setProperty("--pull", tone(place)["--tone"]);
      element.style.setProperty("--strength", `${Math.round((45 * pulls[key]) / top)}%`);
    }
  }
}

/** How strongly a word is marked: by how sure its sense is, and how far from the usual one. */
function strengthOf({ strength }) {
  return STRENGTHS.find(([least]) => strength >= least)[1];
}

function tokenRows({ tokens }) {
  return tokens.map(({ text, word, n_senses, best }, number) => ({
    token: number,
    text,
    word,
    n_senses,
    sense: best?.sense,
    atom: best?.atom,
    label: best?.label,
    probability: best && Number(decimal(best.probability, 4)),
  }));
}
