// Drawings: the shapes that the service has laid out become elements, which light up and can be walked through.
// All text goes in as text, never as markup.

import { base, explain, tagText } from "./relations.js";

const SVG = "http://www.w3.org/2000/svg";

const element = (name, attributes, text) => {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
};

const shapeElement = (shape) => {
  const [kind, owner] = shape;
  const common = owner ? { class: kind, "data-owner": owner } : { class: kind };
  if (shape.length === 3) return element("path", { ...common, d: shape[2] });
  if (shape.length === 5) return element("text", { ...common, x: shape[2], y: shape[3] }, shape[4]);
  return element("rect", { ...common, x: shape[2], y: shape[3], width: shape[4], height: shape[5], rx: 5 });
};

/** The shapes as an svg element. */
export const svgOf = (scene, description) => {
  const svg = element("svg", {
    width: scene.width, height: scene.height, viewBox: `0 0 ${scene.width} ${scene.height}`,
    role: "img", "aria-label": description || "",
  });
  if (scene.rtl) svg.setAttribute("class", "rtl");
  for (const shape of scene.shapes) {
    // A wider line under the arc makes it easy to point at.
    if (shape.length === 3 && shape[1] && /^a/.test(shape[0])) {
      svg.append(element("path", { class: "touch", "data-owner": shape[1], d: shape[2] }));
    }
    svg.append(shapeElement(shape));
  }
  return svg;
};

const place = (owner) => Number(owner.slice(1));
const labelsOf = (link) => link.labels.map(([text]) => text);
const MARKS = { missing: "only in the first", spurious: "only in the second", relabelled: "other label" };

/** A drawing in a figure: lights up what belongs together and tells `onTell` what is pointed at. */
export class Drawing {
  constructor(figure, data, onTell) {
    this.figure = figure;
    this.data = data;
    this.onTell = onTell;
    this.chosen = null;
    this.svg = svgOf(data, data.description);
    if (data.phrase) figure.append(svgOf(data.phrase, data.description));
    figure.append(this.svg);
    figure.tabIndex = 0;
    figure.setAttribute("role", "group");
    figure.setAttribute("aria-roledescription", "dependency graph");
    figure.setAttribute("aria-label", `Graph: ${data.description}. Arrow keys walk through words and arcs.`);
    // A sentence from right to left begins at the right.
    if (data.rtl) requestAnimationFrame(() => { figure.scrollLeft = figure.scrollWidth; });
    this.svg.addEventListener("pointerover", (event) => this.point(event.target.dataset.owner || null));
    this.svg.addEventListener("pointerleave", () => this.point(null));
    this.svg.addEventListener("click", (event) => this.choose(event.target.dataset.owner || null));
    figure.addEventListener("keydown", (event) => this.key(event));
    figure.addEventListener("blur", () => this.choose(null));
  }

  /** Whose arcs light up for a word or a link. */
  related(owner) {
    const found = new Set([owner]);
    if (owner[0] === "l") {
      const link = this.data.links[place(owner)];
      if (link.head >= 0) found.add(`w${link.head}`);
      found.add(`w${link.dependent}`);
      return found;
    }
    this.data.links.forEach((link, number) => {
      if (link.head === place(owner) || link.dependent === place(owner)) {
        found.add(`l${number}`);
        if (link.head >= 0) found.add(`w${link.head}`);
        found.add(`w${link.dependent}`);
      }
    });
    return found;
  }

  point(owner) {
    this.light(owner || this.chosen);
  }

  choose(owner) {
    this.chosen = owner;
    this.light(owner);
  }

  light(owner) {
    const found = owner ? this.related(owner) : null;
    this.svg.classList.toggle("lit", Boolean(found));
    for (const shape of this.svg.querySelectorAll("[data-owner]")) {
      shape.classList.toggle("hot", Boolean(found && found.has(shape.dataset.owner)));
      shape.classList.toggle("own", shape.dataset.owner === owner);
    }
    this.onTell(owner ? this.tell(owner) : null);
  }

  form(word) {
    return word < 0 ? "the root" : this.data.words[word].form;
  }

  /** What is known of a word or a link: a heading and lines. */
  tell(owner) {
    if (owner[0] === "l") {
      const link = this.data.links[place(owner)];
      const lines = link.labels.map(([label, mark]) => ({
        label, mark: MARKS[mark], ...explain(label),
      }));
      return { heading: `${this.form(link.head)} → ${this.form(link.dependent)}`, lines };
    }
    const number = place(owner);
    const word = this.data.words[number];
    const lines = [];
    if (word.lemma || word.tag) lines.push({ text: [word.lemma, tagText(word.tag)].filter(Boolean).join(" · ") });
    for (const link of this.data.links) {
      const say = (how, other) => lines.push(...link.labels.map(([label, mark]) => ({
        label, mark: MARKS[mark], side: `${how} ${this.form(other)}`, ...explain(label),
      })));
      if (link.dependent === number) say("of", link.head);
      else if (link.head === number) say("has", link.dependent);
    }
    return { heading: `${word.id} ${word.form}`, lines };
  }

  /** Left and right walk through the words, up and down through the arcs of a word. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.figure) return;
    const words = this.data.words.length;
    if (!words) return;
    const current = this.chosen;
    const word = current && current[0] === "w" ? place(current) : this.last ?? -1;
    const walk = (step) => {
      const next = word < 0 ? (step > 0 ? 0 : words - 1) : (word + step + words) % words;
      this.last = next;
      this.choose(`w${next}`);
    };
    const turn = (step) => {
      if (word < 0) return walk(1);
      const own = this.data.links.flatMap((link, number) =>
        (link.head === word || link.dependent === word ? [`l${number}`] : []));
      const stops = [`w${word}`, ...own];
      const at = Math.max(0, stops.indexOf(current));
      this.choose(stops[(at + step + stops.length) % stops.length]);
    };
    const rtl = this.data.rtl ? -1 : 1;
    const actions = {
      ArrowRight: () => walk(rtl), ArrowLeft: () => walk(-rtl), ArrowDown: () => turn(1), ArrowUp: () => turn(-1),
      Escape: () => this.choose(null),
    };
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      event.stopPropagation();
      action();
    }
  }

  /** Fades all links but those whose relation is wanted; all are for an empty set. */
  filter(wanted) {
    this.data.links.forEach((link, number) => {
      const off = wanted.size > 0 && !labelsOf(link).some((label) => wanted.has(base(label)));
      for (const shape of this.svg.querySelectorAll(`[data-owner="l${number}"]`)) shape.classList.toggle("off", off);
    });
  }

  /** Shows only the links of a set (by number), the new ones marked; words get the classes of a map. */
  stage(shown, fresh, classes) {
    for (const shape of this.svg.querySelectorAll("[data-owner]")) {
      const owner = shape.dataset.owner;
      if (owner[0] === "l") {
        shape.classList.toggle("future", !shown.has(place(owner)));
        shape.classList.toggle("fresh", fresh.has(place(owner)));
      } else {
        for (const name of ["on-stack", "on-second", "on-buffer", "at-top"]) {
          shape.classList.toggle(name, (classes.get(place(owner)) || []).includes(name));
        }
      }
    }
  }
}

/** All arcs as a table, for those who can't see them or want to copy them. */
export const tableOf = (data) => {
  const table = document.createElement("table");
  const row = (cells, name) => {
    const line = document.createElement("tr");
    for (const text of cells) {
      const cell = document.createElement(name);
      cell.textContent = text;
      if (name === "th") cell.scope = "col";
      line.append(cell);
    }
    return line;
  };
  const head = document.createElement("thead");
  head.append(row(["dependent", "relation", "head", "meaning"], "th"));
  const body = document.createElement("tbody");
  const form = (word) => (word < 0 ? "root" : `${data.words[word].id} ${data.words[word].form}`);
  for (const link of data.links) {
    for (const [label, mark] of link.labels) {
      const said = MARKS[mark] ? `${label} (${MARKS[mark]})` : label;
      body.append(row([form(link.dependent), said, form(link.head), explain(label).text], "td"));
    }
  }
  table.append(head, body);
  return table;
};

/** A picture as PNG, by drawing the service's SVG onto a canvas. */
export const pngOf = async (svg) => {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(2, 16000 / Math.max(image.width, image.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(image.width * scale);
    canvas.height = Math.ceil(image.height * scale);
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.drawImage(image, 0, 0);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
};
