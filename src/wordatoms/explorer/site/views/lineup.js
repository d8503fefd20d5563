// The police lineup: which of these lists are senses of the word? You against the machine (Section 6.3 of the paper).

import { ask } from "../api.js";
import { csvButton } from "../csv.js";
import { announce, h, put } from "../dom.js";
import { plural } from "../numbers.js";
import { fillWhenReady } from "../parts/states.js";
import { scoreTable } from "../parts/scores.js";
import { sectionHead } from "../parts/words.js";
import { addressOf, goTo } from "../router.js";

const N_SHOWN = 20;
const rounds = []; // rounds played since the page was opened

export function open(route, { setTitle }) {
  setTitle("The lineup");
  const place = h("div", { class: "page" });
  const update = ({ args: [seed] }) => {
    if (!/^\d{1,9}$/.test(seed ?? ""))
      goTo(addressOf("lineup", 1 + Math.floor(Math.random() * 9999)), { replace: true });
    else fillWhenReady(place, async () => new Round(await ask("lineup", { seed, n: N_SHOWN })).element);
    return true;
  };
  update(route);
  return { element: place, update };
}

class Round {
  constructor(lineup) {
    this.lineup = lineup;
    this.chosen = new Set();
    this.suspects = lineup.senses.map((words, k) => this.drawSuspect(words, k + 1));
    this.line = h("div", { class: "bottom-line" });
    this.result = h("section", { "aria-live": "polite", tabindex: -1 });
    this.element = h(
      "div",
      {},
      this.head(),
      this.result,
      h(
        "ol",
        { class: "lineup-list" },
        this.suspects.map((suspect) => h("li", {}, suspect)),
      ),
      this.line,
    );
    this.showLine();
  }

  head() {
    return h(
      "header",
      { class: "page-head" },
      h("p", { class: "quiet" }, "Which of these are senses of"),
      h("h1", {}, this.lineup.word),
      h(
        "p",
        { class: "quiet" },
        `On average, three or four of the ${this.lineup.senses.length} lists are; the others belong to other words. `,
        "Choose, then see what the machine chose.",
      ),
    );
  }

  drawSuspect(words, number) {
    return h(
      "button",
      {
        type: "button",
        class: "suspect",
        "aria-pressed": "false",
        "data-number": number,
        onclick: () => this.toggle(number),
      },
      h("span", { class: "top-line" }, h("span", {}, number), h("span", { class: "who" })),
      words.join(", "),
    );
  }

  toggle(number) {
    if (!this.chosen.delete(number)) this.chosen.add(number);
    this.suspects[number - 1].setAttribute("aria-pressed", String(this.chosen.has(number)));
    this.showLine();
  }

  showLine() {
    const n = this.chosen.size;
    put(
      this.line,
      h(
        "button",
        { type: "button", class: "main", disabled: n === 0, onclick: () => this.finish() },
        "These are the ones",
      ),
      h("span", { class: "quiet" }, `${n} chosen`),
      this.skip("Another word"),
    );
  }

  skip(label, kind = "plain") {
    return h(
      "button",
      { type: "button", class: kind, onclick: () => goTo(addressOf("lineup", Number(this.lineup.seed) + 1)) },
      label,
    );
  }

  async finish() {
    const { seed, word } = this.lineup;
    const chosen = [...this.chosen].sort((one, other) => one - other);
    await fillWhenReady(this.result, async () => {
      const answer = await ask("lineup", "answer", { seed, n: N_SHOWN, chosen: chosen.join(",") });
      this.reveal(answer);
      rounds.push({ word, seed: Number(seed), chosen: chosen.join(" "), ...flat(answer) });
      return this.showResult(answer);
    });
    this.result.scrollIntoView({ block: "start" });
    this.result.focus({ preventScroll: true });
  }

  reveal({ true: own, machine }) {
    this.suspects.forEach((suspect, k) => {
      const number = k + 1;
      const who = [this.chosen.has(number) && "you", machine.includes(number) && "machine"].filter(Boolean);
      suspect.disabled = true;
      suspect.classList.toggle("true", own.includes(number));
      suspect.classList.toggle("mistaken", this.chosen.has(number) && !own.includes(number));
      put(
        suspect.querySelector(".who"),
        own.includes(number) && h("b", {}, "✓ its own"),
        who.length > 0 && who.join(" + "),
      );
    });
    put(this.line, this.skip("Next word", "main"), h("span", { class: "quiet" }, "The bar marks its senses."));
  }

  showResult(answer) {
    const found = answer.true.filter((number) => this.chosen.has(number)).length;
    const title = `${this.lineup.word}: you found ${found} of ${answer.true.length}`;
    announce(title);
    return [
      sectionHead(
        title,
        csvButton("lineup", () => rounds),
      ),
      scoreTable(answer, rounds),
    ];
  }
}

function flat({ you, machine_score: machine, machine4_score: four }) {
  return {
    your_precision: you.precision,
    your_recall: you.recall,
    machine_precision: machine.precision,
    machine_recall: machine.recall,
    machine4_precision: four.precision,
    machine4_recall: four.recall,
  };
}
