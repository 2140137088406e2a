// The page: what is shown, and what the user does to it.

import { Drawing, pngOf, svgOf, tableOf } from "./drawing.js";
import * as files from "./files.js";
import { base } from "./relations.js";
import * as service from "./service.js";
import { Stepping } from "./stepping.js";

const PAGE = 10;
const $ = (id) => document.getElementById(id);
const make = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

const EXAMPLES = [
  ["shared subject", "The people who came wanted to stay and help."],
  ["coordination", "She bought and ate an apple, and he a pear."],
  ["passive", "The letters were written by her and sent to the queen."],
  ["a paragraph", "Mary promised John to leave early. He, however, did not believe her! Who would have?"],
];

const state = {
  models: [], limits: {},
  // Where the sentences come from: typed text, or files.
  file: null, system: null,
  sentences: [], against: null, found: [], first: 0,
  wanted: new Set(), drawings: new Map(), steppings: new Map(),
  // The width that drawings were made for.
  drawnAt: 0,
};

// ---- what is told ----

const counted = (count) => `${count.toLocaleString("en")} ${count === 1 ? "sentence" : "sentences"}`;
const say = (text) => { $("status").textContent = text; };
const complain = (error) => {
  $("problem").hidden = !error;
  $("problem").textContent = error ? error.message : "";
};

const tell = (told) => {
  const panel = $("told");
  panel.replaceChildren();
  if (!told) return;
  panel.append(make("h3", "", told.heading));
  const list = make("ul");
  for (const line of told.lines) {
    const item = make("li");
    if (line.side) item.append(`${line.side}: `);
    if (line.label) {
      if (line.address) {
        const link = make("a", "", line.label);
        link.href = line.address;
        link.target = "_blank";
        link.rel = "noopener noreferrer";
        item.append(link);
      } else item.append(make("b", "", line.label));
      item.append(" — ");
    }
    item.append(line.text);
    if (line.mark) item.append(" ", make("span", "mark", `(${line.mark})`));
    list.append(item);
  }
  panel.append(list);
};

// ---- asking ----

const width = () => Math.max(200, $("sentences").clientWidth - (window.innerWidth <= 640 ? 26 : 46));
const drawOptions = () => {
  state.drawnAt = width();
  return { basis: $("basis").value, pages: $("pages").value, ...($("wrap").checked ? { width: state.drawnAt } : {}) };
};
const plain = ({ drawing, explanation, ...sentence }) => sentence;
const words = (sentence) => sentence.tokens.filter((token) => !token.id.includes(".")).map((token) => token.form);

let asking = null;
const begin = () => {
  if (asking) asking.abort();
  asking = new AbortController();
  return asking.signal;
};

const parseText = async () => {
  const text = $("text").value;
  const signal = begin();
  if (state.file) $("query").value = "";
  state.file = state.system = null;
  if (!text.trim()) return show([], null);
  state.parsing = signal;
  try {
    const started = performance.now();
    const other = $("with").value;
    const request = { text, model: $("model").value, ...(other ? {} : { draw: drawOptions() }) };
    const { sentences } = await service.parse(request, signal);
    let against = null;
    if (other) {
      const again = { sentences: sentences.map(words), model: other, tags: "predicted" };
      against = (await service.parse(again, signal)).sentences;
    }
    state.drawings.clear();
    sentences.forEach((sentence) => { if (sentence.drawing) state.drawings.set(plainOf(sentence), sentence.drawing); });
    const count = sentences.reduce((sum, sentence) => sum + words(sentence).length, 0);
    await show(sentences.map(plainOf), against && against.map(plainOf), signal);
    const time = Math.round(performance.now() - started);
    say(`${counted(sentences.length)}, ${count} words, ${time} ms`);
  } catch (error) {
    if (error.name === "AbortError") return;
    complain(error);
    say("");
  } finally {
    if (state.parsing === signal) state.parsing = null;
  }
};

// A sentence without its drawing, the same object every time.
const plains = new WeakMap();
const plainOf = (sentence) => {
  if (!plains.has(sentence)) plains.set(sentence, plain(sentence));
  return plains.get(sentence);
};

const openFiles = async (given) => {
  const list = [...given].slice(0, 2);
  if (!list.length) return;
  begin();
  complain(null);
  say(`reading ${list.map((file) => file.name).join(" and ")} …`);
  try {
    const opened = [];
    for (const file of list) opened.push(await files.open(file, state.limits.body));
    const [first, second] = opened;
    if (first.text !== undefined) {
      $("text").value = first.text;
      return await parseText();
    }
    state.file = first.name;
    $("query").value = "";
    $("only").checked = false;
    state.system = second ? second.name : null;
    state.drawings.clear();
    let against = null;
    if (second) {
      if (!second.sentences || second.sentences.length !== first.sentences.length) {
        throw new Error(`${first.name} and ${second.name} don't have the same number of sentences`);
      }
      against = second.sentences;
    } else if ($("with").value) {
      say("parsing …");
      const again = { sentences: first.sentences.map(words), model: $("with").value, tags: "predicted" };
      against = (await service.parse(again, asking.signal)).sentences;
    }
    await show(first.sentences, against, asking.signal);
    const names = second ? `${first.name} (gold) and ${second.name} (system)` : first.name;
    say(`${names}: ${counted(first.sentences.length)}`);
  } catch (error) {
    if (error.name === "AbortError") return;
    complain(error);
    say("");
  }
};

// ---- showing ----

const show = async (sentences, against, signal) => {
  complain(null);
  state.sentences = sentences;
  state.against = against;
  state.steppings.clear();
  $("close").hidden = !state.file;
  $("search").hidden = !state.file && sentences.length <= PAGE;
  $("onlywrap").hidden = !against;
  relations();
  legend();
  select(0);
  await render(signal);
  await scores(signal);
};

const key = (arc) => `${arc.head} ${arc.dependent} ${arc.label}`;
const differs = (place) => {
  if (!state.against) return false;
  const [one, two] = [state.sentences[place], state.against[place]].map((s) => s.arcs.map(key).sort().join("\n"));
  return one !== two;
};

const select = (first) => {
  const query = $("search").hidden ? "" : $("query").value;
  const only = state.against && $("only").checked;
  state.found = state.sentences.flatMap((sentence, place) =>
    (files.matches(sentence, query) && (!only || differs(place)) ? [place] : []));
  state.first = Math.max(0, Math.min(first, state.found.length - 1));
  state.first -= state.first % PAGE;
};

const render = async (signal) => {
  const places = state.found.slice(state.first, state.first + PAGE);
  const missing = places.filter((place) => !state.drawings.has(state.sentences[place]));
  if (missing.length) {
    const request = { sentences: missing.map((place) => state.sentences[place]), draw: drawOptions() };
    if (state.against) request.against = missing.map((place) => state.against[place]);
    const { drawings } = await service.draw(request, signal);
    missing.forEach((place, number) => state.drawings.set(state.sentences[place], drawings[number]));
  }
  $("sentences").replaceChildren(...places.map(article));
  if (!places.length && state.sentences.length) $("sentences").append(make("p", "none", "Nothing found."));
  $("paging").hidden = state.found.length <= PAGE;
  $("where").textContent = places.length
    ? `${state.first + 1}–${state.first + places.length} of ${state.found.length.toLocaleString("en")}` : "";
  $("previous").disabled = state.first === 0;
  $("next").disabled = state.first + PAGE >= state.found.length;
  tell(null);
};

const article = (place) => {
  const sentence = state.sentences[place];
  const data = state.drawings.get(sentence);
  const made = make("article");
  made.dataset.place = place;
  const head = make("header");
  const title = [`${place + 1}`];
  if (sentence.id && sentence.id !== `${place + 1}`) title.push(sentence.id);
  if (data.differences && state.against) {
    const { missing, spurious, relabelled } = data.differences;
    title.push(`${missing} missing, ${spurious} spurious, ${relabelled} with other labels`);
  }
  head.append(make("h2", "", title.join(" · ")));
  const button = (text, label, action) => {
    const b = make("button", "", text);
    b.type = "button";
    b.setAttribute("aria-label", label);
    b.addEventListener("click", () => action(b).catch(complain));
    head.append(b);
    return b;
  };
  const figure = make("figure");
  const drawing = new Drawing(figure, data, tell);
  drawing.filter(state.wanted);
  made.drawing = drawing;
  const step = button("Step", `Step through the derivation of sentence ${place + 1}`, () => toggleSteps(made, place, step));
  step.setAttribute("aria-pressed", "false");
  const apart = button("Trees", `Take sentence ${place + 1} apart into three trees`, () => toggleTrees(made, place, apart));
  apart.setAttribute("aria-pressed", "false");
  button("SVG", `Download sentence ${place + 1} as SVG`, async () => save(await svgFile(place), `${name(place)}.svg`, "image/svg+xml"));
  button("PNG", `Download sentence ${place + 1} as PNG`, async () => save(await pngOf(await svgFile(place)), `${name(place)}.png`));
  made.append(head);
  const text = make("p", "text", sentence.text || words(sentence).join(" "));
  text.dir = "auto";
  made.append(text, figure);
  const table = make("details");
  table.append(make("summary", "", "Arcs as a table"));
  table.addEventListener("toggle", () => { if (table.open && table.children.length === 1) table.append(tableOf(data)); });
  made.append(table);
  return made;
};

const name = (place) => (state.sentences[place].id || `sentence-${place + 1}`).replace(/[^\w.-]+/g, "-").slice(0, 80);

const svgFile = (place) => {
  const request = { sentences: [state.sentences[place]], draw: drawOptions() };
  if (state.against) request.against = [state.against[place]];
  return service.picture(request);
};

const save = (content, file, type) => {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = make("a");
  link.href = address;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};

// ---- stepping ----

const toggleSteps = async (made, place, button, step = 0, system = null) => {
  const open = made.querySelector(".steps, .told-how");
  if (open) {
    made.querySelectorAll(".steps, .told-how").forEach((part) => part.remove());
    state.steppings.delete(place);
    button.setAttribute("aria-pressed", "false");
    return;
  }
  const model = state.models.find((m) => m.name === $("model").value) || {};
  const own = model.system && !state.file ? model.name : null;
  const stepping = new Stepping(state.sentences[place], own, system, width() - 40,
    (at, chosen) => state.steppings.set(place, { at, system: chosen }), tell);
  await stepping.load(step);
  made.append(stepping.root);
  button.setAttribute("aria-pressed", "true");
  stepping.root.focus({ preventScroll: true });
  stepping.root.scrollIntoView({ block: "nearest" });
  // Models that search otherwise tell in words how.
  if (!model.system) {
    const asked = { sentences: [words(state.sentences[place])], model: $("model").value, explain: true };
    const { sentences } = await service.parse(asked);
    if (sentences[0] && sentences[0].explanation) {
      const how = make("div", "told-how");
      how.append(make("pre", "", sentences[0].explanation));
      made.append(how);
    }
  }
};

// The three trees that graph merging would put together.
const toggleTrees = async (made, place, button) => {
  const open = made.querySelector(".trees");
  if (open) {
    open.remove();
    button.setAttribute("aria-pressed", "false");
    return;
  }
  const request = { sentences: [state.sentences[place]], draw: { width: width() - 40 } };
  const { trees } = await service.trees(request);
  const section = make("section", "stepping trees");
  section.setAttribute("aria-label", "Three trees");
  trees[0].forEach((tree, number) => {
    section.append(make("h3", "", `Tree ${number + 1}: ${tree.held} of ${tree.arcs} arcs`));
    const figure = make("figure");
    section.append(figure);
    new Drawing(figure, tree.drawing, tell);
  });
  made.append(section);
  button.setAttribute("aria-pressed", "true");
};

// ---- relations, legend, scores ----

const labelsOf = (sentence) => (($("basis").value === "tree" || !sentence.arcs.length)
  ? sentence.tokens.filter((token) => token.deprel).map((token) => token.deprel)
  : sentence.arcs.map((arc) => arc.label));

const relations = () => {
  const counts = new Map();
  for (const sentence of [...state.sentences, ...(state.against || [])]) {
    for (const label of labelsOf(sentence)) counts.set(base(label), (counts.get(base(label)) || 0) + 1);
  }
  for (const wanted of state.wanted) if (!counts.has(wanted)) state.wanted.delete(wanted);
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 200);
  $("relations").replaceChildren(...sorted.map(([label, count]) => {
    const button = make("button", "", label);
    button.type = "button";
    button.append(" ", make("small", "", count.toLocaleString("en")));
    button.setAttribute("aria-pressed", state.wanted.has(label));
    button.addEventListener("click", () => {
      if (!state.wanted.delete(label)) state.wanted.add(label);
      button.setAttribute("aria-pressed", state.wanted.has(label));
      document.querySelectorAll("article").forEach((made) => made.drawing.filter(state.wanted));
      remember();
    });
    return button;
  }));
};

const legend = () => {
  const both = $("basis").value === "both";
  $("legend").hidden = !state.against && !both;
  const entries = state.against
    ? [["a", "in both"], ["am", "− missing (first only)"], ["as", "+ spurious (second only)"], ["ar", "other label"]]
    : [["a", "in tree and graph"], ["am", "− in the tree only"], ["as", "+ in the graph only"], ["ar", "other label"]];
  $("legend").replaceChildren(...entries.map(([kind, text]) => {
    const entry = make("span");
    entry.append(svgOf({ width: 34, height: 8, shapes: [[kind, "", "M0 4h34"]] }, ""), text);
    return entry;
  }));
};

const MEASURES = ["ELAS", "EULAS", "LAS", "UAS", "Words", "UPOS"];
const scores = async (signal) => {
  const section = $("scores");
  section.hidden = true;
  section.replaceChildren();
  if (!state.against || !state.sentences.length) return;
  const result = await service.evaluate({ gold: state.sentences, system: state.against }, signal);
  const table = make("table");
  const row = (cells, kind) => {
    const line = make("tr");
    cells.forEach((text, number) => line.append(make(number && kind === "td" ? "td" : "th", "", text)));
    return line;
  };
  const percent = (value) => (typeof value === "number" ? (100 * value).toFixed(2) : "–");
  // One column a measure.
  const measures = [];
  if (result.metric === "eud") {
    for (const measure of MEASURES.filter((m) => result[m])) {
      const { precision, recall, f1 } = result[measure];
      measures.push([measure, precision, recall, f1]);
    }
  } else if (result.LF !== undefined) {
    measures.push(["labelled", result.LP, result.LR, result.LF], ["unlabelled", result.UP, result.UR, result.UF]);
  } else {
    for (const measure of ["UAS", "LAS"]) measures.push([measure, null, null, result[measure]]);
  }
  table.append(row([result.metric, ...measures.map((m) => m[0])], "th"));
  ["precision", "recall", "F1"].forEach((name, number) => {
    if (measures.some((m) => m[number + 1] !== null)) {
      table.append(row([name, ...measures.map((m) => percent(m[number + 1]))], "td"));
    }
  });
  const names = state.system ? "the first file is gold, the second the system"
    : `${state.file || $("model").value} is taken as gold, ${$("with").value} as the system`;
  section.append(make("p", "", names), table);
  section.hidden = false;
};

// ---- links ----

const remember = () => {
  const parameters = new URLSearchParams();
  const put = (name, value, usual) => { if (value && value !== usual) parameters.set(name, value); };
  if (!state.file) put("text", $("text").value, "");
  put("model", $("model").value, state.models.length ? state.models[0].name : "");
  put("with", $("with").value, "");
  put("basis", $("basis").value, "auto");
  put("pages", $("pages").value, "book");
  put("wrap", $("wrap").checked ? "" : "no", "");
  put("relations", [...state.wanted].join(","), "");
  put("first", state.first ? String(state.first) : "", "");
  const stepping = [...state.steppings][0];
  if (stepping) put("step", `${stepping[0]}.${stepping[1].at}.${stepping[1].system}`, "");
  history.replaceState(null, "", `#${parameters}`);
};

const recall = async () => {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const set = (id, name) => {
    const value = parameters.get(name);
    if (value !== null && [...$(id).options].some((option) => option.value === value)) $(id).value = value;
  };
  set("model", "model");
  set("with", "with");
  set("basis", "basis");
  set("pages", "pages");
  $("wrap").checked = parameters.get("wrap") !== "no";
  state.wanted = new Set((parameters.get("relations") || "").split(",").filter(Boolean));
  $("text").value = parameters.has("text") ? parameters.get("text") : EXAMPLES[0][1];
  await parseText();
  const first = Number(parameters.get("first"));
  if (first > 0) {
    select(first);
    await render();
  }
  const step = /^(\d+)\.(\d+)\.([a-z0-9-]+)$/.exec(parameters.get("step") || "");
  const made = step && document.querySelector(`article[data-place="${step[1]}"]`);
  if (made) {
    await toggleSteps(made, Number(step[1]), made.querySelector("header button"), Number(step[2]), step[3]);
  }
};

// ---- events ----

const waiting = {};
const later = (name, action, time) => {
  clearTimeout(waiting[name]);
  waiting[name] = setTimeout(action, time);
};
const redraw = async () => {
  // What is on its way was asked for in the old form.
  if (state.parsing) return parseText().then(remember);
  state.drawings.clear();
  legend();
  relations();
  try {
    await render(begin());
  } catch (error) {
    if (error.name !== "AbortError") complain(error);
  }
  remember();
};
const turn = (pages) => {
  const first = state.first + pages * PAGE;
  if (first < 0 || first >= state.found.length) return;
  select(first);
  render().then(() => { remember(); $("sentences").scrollIntoView(); }).catch(complain);
};

const theme = (name) => { document.documentElement.dataset.theme = name; };
const turnTheme = () => {
  const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  theme(name);
  localStorage.setItem("pleach-theme", name);
};
const help = () => { if ($("help").open) $("help").close(); else $("help").showModal(); };

const start = async () => {
  const preference = matchMedia("(prefers-color-scheme: dark)");
  theme(localStorage.getItem("pleach-theme") || (preference.matches ? "dark" : "light"));
  preference.addEventListener("change", () => {
    if (!localStorage.getItem("pleach-theme")) theme(preference.matches ? "dark" : "light");
  });
  for (const [title, text] of EXAMPLES) {
    const button = make("button", "", title);
    button.type = "button";
    button.title = text;
    button.addEventListener("click", () => { $("text").value = text; parseText().then(remember); });
    $("examples").append(button);
  }
  $("text").addEventListener("input", () => later("text", () => parseText().then(remember), 160));
  for (const id of ["model", "with"]) $(id).addEventListener("change", () => parseText().then(remember));
  for (const id of ["basis", "pages", "wrap"]) $(id).addEventListener("change", redraw);
  $("query").addEventListener("input", () => later("query", () => { select(0); render().catch(complain); }, 120));
  $("only").addEventListener("change", () => { select(0); render().catch(complain); });
  $("previous").addEventListener("click", () => turn(-1));
  $("next").addEventListener("click", () => turn(1));
  $("theme").addEventListener("click", turnTheme);
  $("ask").addEventListener("click", help);
  $("close").addEventListener("click", () => parseText().then(remember));
  $("open").addEventListener("change", () => { openFiles($("open").files); $("open").value = ""; });
  $("conllu").addEventListener("click", async () => {
    try {
      save(await service.convert(state.sentences, "conllu"), "pleach.conllu", "text/plain");
    } catch (error) {
      complain(error);
    }
  });
  $("link").addEventListener("click", async () => {
    remember();
    if (state.file) return say("a link can't hold a file; it holds the view only");
    try {
      await navigator.clipboard.writeText(location.href);
      say("the link is in the clipboard");
    } catch {
      say("the link is in the address bar");
    }
  });
  let depth = 0;
  const dragging = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
  addEventListener("dragenter", (event) => { if (dragging(event)) { depth += 1; $("drop").hidden = false; } });
  addEventListener("dragleave", (event) => { if (dragging(event) && --depth <= 0) { depth = 0; $("drop").hidden = true; } });
  addEventListener("dragover", (event) => { if (dragging(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    if (!dragging(event)) return;
    event.preventDefault();
    depth = 0;
    $("drop").hidden = true;
    openFiles(event.dataTransfer.files);
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const writing = /^(TEXTAREA|INPUT|SELECT)$/.test(event.target.tagName);
    if (event.key === "Escape" && writing) event.target.blur();
    if (writing || ($("help").open && event.key !== "?")) return;
    const keys = {
      n: () => turn(1), p: () => turn(-1), t: turnTheme, "?": help,
      "/": () => ($("search").hidden ? $("text") : $("query")).focus(),
      s: () => { const made = event.target.closest("article") || document.querySelector("article"); if (made) made.querySelector("header button").click(); },
    };
    const action = keys[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });
  addEventListener("resize", () => later("size", () => {
    if ($("wrap").checked && Math.abs(width() - state.drawnAt) >= 24) redraw();
  }, 200));
  addEventListener("hashchange", () => recall().catch(complain));
  const { models, limits } = await service.models();
  state.models = models;
  state.limits = limits;
  for (const model of models) {
    for (const id of ["model", "with"]) {
      const option = make("option", "", model.name);
      option.value = model.name;
      $(id).append(option);
    }
  }
  await recall();
};

start().catch(complain);
