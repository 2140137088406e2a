// Stepping through the derivation of a sentence, forwards and backwards.

import { Drawing } from "./drawing.js";
import * as service from "./service.js";

const SYSTEMS = ["s2s", "ss", "st", "sl"].flatMap((kind) =>
  ["combined", "standard"].flatMap((how) => [`${kind}-${how}`, `${kind}-${how}-rev`]));

const NAMES = { s2s: "two stacks", ss: "re-ordering", st: "swapping (THMM)", sl: "lists" };

const make = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

/** A panel in which the derivation of a sentence is watched. */
export class Stepping {
  constructor(sentence, model, system, width, onStep, onTell) {
    this.model = model;
    this.sentence = sentence;
    this.width = width;
    this.onStep = onStep;
    this.onTell = onTell;
    this.step = 0;
    this.story = null;
    this.root = make("section", "stepping steps");
    this.root.tabIndex = 0;
    this.root.setAttribute("aria-label", "Derivation; arrow keys step forwards and backwards");
    const bar = make("div", "bar");
    const label = make("label", "", "System ");
    this.system = make("select", "system");
    if (model) {
      const own = make("option", "", `${model}, with its scores`);
      own.value = "model";
      this.system.append(own);
    }
    for (const name of SYSTEMS) {
      const option = make("option", "", `${name} · ${NAMES[name.split("-")[0]]}`);
      option.value = name;
      this.system.append(option);
    }
    this.system.value = SYSTEMS.includes(system) ? system : model ? "model" : "s2s-combined";
    label.append(this.system);
    const button = (text, title, action, name) => {
      const made = make("button", name, text);
      made.type = "button";
      made.title = title;
      made.setAttribute("aria-label", title);
      made.addEventListener("click", action);
      return made;
    };
    this.slider = make("input", "slider");
    this.slider.type = "range";
    this.slider.min = 0;
    this.slider.setAttribute("aria-label", "Step");
    this.where = make("output", "where");
    bar.append(label,
      button("|◀", "first (Home)", () => this.go(0), "first"),
      button("◀", "back (←)", () => this.go(this.step - 1), "back"),
      this.slider,
      button("▶", "forward (→)", () => this.go(this.step + 1), "forward"),
      button("▶|", "last (End)", () => this.go(Infinity), "last"),
      this.where);
    this.transition = make("p", "transition");
    this.transition.setAttribute("aria-live", "polite");
    this.lists = make("div", "lists");
    this.figure = make("figure");
    this.lost = make("p", "lost");
    this.offers = make("div", "offers");
    this.root.append(bar, this.transition, this.lists, this.offers, this.figure, this.lost);
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.system.addEventListener("change", () => this.load(0));
    this.root.addEventListener("keydown", (event) => {
      if (event.target === this.system || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = { ArrowRight: this.step + 1, ArrowLeft: this.step - 1, Home: 0, End: Infinity }[event.key];
      if (target === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.go(target);
    });
  }

  /** Asks for the derivation and shows a step of it. */
  async load(step) {
    const own = this.system.value === "model";
    const asked = own ? { model: this.model } : { system: this.system.value };
    const answer = await service.derive({ sentences: [this.sentence], ...asked });
    this.story = answer.derivations[0];
    // Empty nodes have become labels, so the sentence is drawn anew.
    const { drawings } = await service.draw({ sentences: [this.story.sentence], draw: { width: this.width } });
    this.figure.replaceChildren();
    this.drawing = new Drawing(this.figure, drawings[0], this.onTell);
    this.figure.removeAttribute("tabindex");
    this.slider.max = this.story.configurations.length - 1;
    this.lost.textContent = this.story.lost.length
      ? `Out of reach of this system: ${this.story.lost.map((arc) => this.arcText(arc)).join(", ")}` : "";
    this.go(step);
  }

  word(number) {
    return number === 0 ? "ROOT" : this.story.words[number - 1];
  }

  arcText(arc) {
    return `${this.word(arc.head)} → ${this.word(arc.dependent)} (${arc.labels.join(", ")})`;
  }

  /** What the parser could do next, the best first, with its scores. */
  showOffers(offers) {
    this.offers.replaceChildren();
    if (!offers.length) return;
    this.offers.append(make("span", "name", "next, by score"));
    const list = make("ol", "");
    const best = Math.max(...offers.map((offer) => offer.score));
    const worst = Math.min(...offers.map((offer) => offer.score));
    for (const offer of offers) {
      const item = make("li", offer.taken ? "taken" : "");
      const meter = make("meter");
      meter.min = 0;
      meter.max = 1;
      meter.value = best > worst ? (offer.score - worst) / (best - worst) * 0.95 + 0.05 : 1;
      meter.setAttribute("aria-hidden", "true");
      item.append(meter, make("b", "", offer.transition), ` ${offer.score.toFixed(2)}`);
      if (offer.taken) item.append(make("span", "mark", " taken"));
      list.append(item);
    }
    this.offers.append(list);
  }

  go(step) {
    if (!this.story) return;
    const all = this.story.configurations;
    this.step = Math.max(0, Math.min(step, all.length - 1));
    const now = all[this.step];
    this.slider.value = this.step;
    this.where.textContent = `${this.step} / ${all.length - 1}`;
    const made = now.added.map((arc) => this.arcText(arc)).join(", ");
    this.transition.textContent = now.transition ? now.transition + (made ? ` — adds ${made}` : "") : "The start";
    const list = this.story.system.startsWith("sl");
    const second = list || this.story.system.startsWith("s2s");
    const rows = [[list ? "list λ" : "stack σ", now.stack, "on-stack", now.stack.length - 1]];
    if (second) rows.push([list ? "list λ′" : "second stack σ′", now.second, "on-second", -1]);
    rows.push(["buffer β", now.buffer, "on-buffer", 0]);
    const classes = new Map();
    this.lists.replaceChildren(...rows.map(([name, numbers, kind, top]) => {
      const row = make("div", `row ${kind}`);
      row.append(make("span", "name", name));
      const words = make("span", "words");
      numbers.forEach((number, place) => {
        const chip = make("span", `chip${place === top ? " at-top" : ""}`, this.word(number));
        words.append(chip);
        if (number > 0) classes.set(number - 1, place === top ? [kind, "at-top"] : [kind]);
      });
      if (!numbers.length) words.append(make("span", "chip none", "empty"));
      row.append(words);
      return row;
    }));
    this.showOffers(now.offers || []);
    const key = (head, dependent) => `${head} ${dependent}`;
    const numbers = new Map(this.drawing.data.links.map((link, number) =>
      [key(link.head + 1, link.dependent + 1), number]));
    const shown = new Set();
    const fresh = new Set();
    all.slice(0, this.step + 1).forEach((configuration, place) => {
      for (const arc of configuration.added) {
        const number = numbers.get(key(arc.head, arc.dependent));
        if (number === undefined) continue;
        shown.add(number);
        if (place === this.step) fresh.add(number);
      }
    });
    // Tops that are part of a word's tag belong to no arc of the derivation; they show at the end.
    if (this.step === all.length - 1) {
      const lost = new Set(this.story.lost.map((arc) => key(arc.head, arc.dependent)));
      numbers.forEach((number, pair) => { if (!lost.has(pair)) shown.add(number); });
    }
    this.drawing.stage(shown, fresh, classes);
    this.onStep(this.step, this.system.value);
  }
}
