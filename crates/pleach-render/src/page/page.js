"use strict";
(() => {
  const PAGE = 10;
  const $ = (id) => document.getElementById(id);
  const lines = $("data").textContent.trim().split("\n");
  // Two lines a sentence: what can be searched, and what is drawn. The second is parsed when it is shown.
  const sentences = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const [number, id, forms, lemmas, labels, differences, text] = JSON.parse(lines[i]);
    const field = (texts) => "\n" + texts.join("\n").toLowerCase() + "\n";
    sentences.push({
      number, id, differences,
      text: text === null ? forms.join(" ") : text,
      form: field(forms), lemma: field(lemmas), label: field(labels), ident: field([id]),
      scenes: lines[i + 1],
    });
  }
  let found = sentences;
  let current = 0;

  // "form:walk" looks inside, "form=walk" at the whole; a plain word looks everywhere.
  const parse = (query) => query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const match = /^(form|lemma|label|id)([:=])(.+)$/.exec(word);
    if (!match) return { fields: ["form", "lemma", "label", "ident"], needle: word, term: word };
    const field = match[1] === "id" ? "ident" : match[1];
    return { fields: [field], needle: match[2] === "=" ? "\n" + match[3] + "\n" : match[3], term: match[3] };
  });

  const search = () => {
    const shown = found[current];
    const terms = parse($("query").value);
    const only = $("only") && $("only").checked;
    found = sentences.filter((s) =>
      (!only || s.differences) && terms.every((t) => t.fields.some((field) => s[field].includes(t.needle))));
    current = Math.max(0, found.indexOf(shown));
    render(terms);
  };

  const make = (name, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // How large pictures are drawn; 1 is as they were laid out.
  const SMALLEST = 0.25, LARGEST = 4;
  let zoom = 1;
  const size = (svg) => {
    svg.setAttribute("width", svg.viewBox.baseVal.width * zoom);
    svg.setAttribute("height", svg.viewBox.baseVal.height * zoom);
  };
  const magnify = (factor) => {
    zoom = factor === 0 ? 1 : Math.min(LARGEST, Math.max(SMALLEST, zoom * factor));
    $("zoom").textContent = Math.round(100 * zoom) + " %";
    $("main").querySelectorAll("figure svg").forEach(size);
  };

  const draw = ([width, height, rtl, shapes], terms, description) => {
    const svg = make("svg", { width: width * zoom, height: height * zoom, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": description });
    if (rtl) svg.setAttribute("class", "rtl");
    for (const shape of shapes) {
      const name = shape[0];
      if (shape.length === 2) {
        svg.append(make("path", { class: name, d: shape[1] }));
      } else if (shape.length === 4) {
        const text = shape[3].toLowerCase();
        const hit = terms.some((t) => text.includes(t.term)) ? " hit" : "";
        svg.append(make("text", { class: name + hit, x: shape[1], y: shape[2] }, shape[3]));
      } else {
        svg.append(make("rect", { class: name, x: shape[1], y: shape[2], width: shape[3], height: shape[4], rx: 5 }));
      }
    }
    return svg;
  };

  const render = (terms = parse($("query").value)) => {
    const start = current - (current % PAGE);
    const page = found.slice(start, start + PAGE);
    const main = $("main");
    main.replaceChildren(...page.map((s, i) => {
      const article = document.createElement("article");
      const heading = document.createElement("h2");
      heading.textContent = s.number + (s.id ? "  ·  " + s.id : "") + (s.differences ? "  ·  " + s.differences : "");
      const text = document.createElement("p");
      text.dir = "auto";
      text.textContent = s.text;
      article.append(heading, text);
      for (const scene of JSON.parse(s.scenes)) {
        const figure = document.createElement("figure");
        figure.append(draw(scene, terms, s.text));
        article.append(figure);
        // A sentence from right to left starts at the right.
        if (scene[2]) requestAnimationFrame(() => { figure.scrollLeft = figure.scrollWidth; });
      }
      article.addEventListener("click", () => select(start + i, false));
      return article;
    }));
    if (!page.length) {
      const none = document.createElement("p");
      none.className = "none";
      none.textContent = sentences.length ? "Nothing found." : "There are no sentences.";
      main.append(none);
    }
    const count = (n) => n.toLocaleString("en");
    $("where").textContent = page.length
      ? `${count(start + 1)}–${count(start + page.length)} of ${count(found.length)}` : "0 of 0";
    $("previous").disabled = start === 0;
    $("next").disabled = start + PAGE >= found.length;
    mark();
  };

  const mark = () => {
    const articles = $("main").querySelectorAll("article");
    articles.forEach((article, i) => article.classList.toggle("current", i === current % PAGE));
    if (found[current]) history.replaceState(null, "", "#" + found[current].number);
    return articles[current % PAGE];
  };

  const select = (place, scroll = true) => {
    place = Math.min(Math.max(place, 0), Math.max(found.length - 1, 0));
    const turned = Math.floor(place / PAGE) !== Math.floor(current / PAGE);
    current = place;
    if (turned) render();
    const article = mark();
    if (!scroll || !article) return;
    if (current % PAGE === 0 && turned) window.scrollTo(0, 0);
    else article.scrollIntoView({ block: "nearest" });
  };

  const turn = (pages) => {
    const start = current - (current % PAGE) + pages * PAGE;
    if (start >= 0 && start < found.length) select(start);
  };

  const slide = (step) => {
    const article = $("main").querySelector(".current");
    const wide = article && [...article.querySelectorAll("figure")].find((f) => f.scrollWidth > f.clientWidth);
    if (wide) wide.scrollBy({ left: step * wide.clientWidth * 0.6, behavior: "smooth" });
    else turn(step);
  };

  const theme = (dark) => { document.documentElement.className = dark ? "dark" : "light"; };

  const help = () => { if ($("help").open) $("help").close(); else $("help").showModal(); };

  const keys = {
    j: () => select(current + 1), ArrowDown: () => select(current + 1),
    k: () => select(current - 1), ArrowUp: () => select(current - 1),
    n: () => turn(1), PageDown: () => turn(1),
    p: () => turn(-1), PageUp: () => turn(-1),
    ArrowRight: () => slide(1), ArrowLeft: () => slide(-1),
    g: () => select(0), Home: () => select(0),
    G: () => select(found.length - 1), End: () => select(found.length - 1),
    "+": () => magnify(1.25), "=": () => magnify(1.25), "-": () => magnify(0.8), 0: () => magnify(0),
    t: () => theme(document.documentElement.className !== "dark"),
    d: () => { if ($("only")) { $("only").checked = !$("only").checked; search(); } },
    "/": () => { $("query").focus(); $("query").select(); },
    "?": help,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === $("query")) {
      if (event.key === "Escape" && $("query").value === "") $("query").blur();
      if (event.key === "Enter") { $("query").blur(); event.preventDefault(); }
      return;
    }
    if ($("help").open && event.key !== "?") return;
    const action = keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  let waiting;
  $("query").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, 120); });
  $("previous").addEventListener("click", () => turn(-1));
  $("next").addEventListener("click", () => turn(1));
  $("smaller").addEventListener("click", keys["-"]);
  $("larger").addEventListener("click", keys["+"]);
  $("zoom").addEventListener("click", keys[0]);
  $("theme").addEventListener("click", keys.t);
  $("ask").addEventListener("click", help);
  if ($("only")) $("only").addEventListener("change", search);
  const preference = matchMedia("(prefers-color-scheme: dark)");
  preference.addEventListener("change", () => theme(preference.matches));
  theme(preference.matches);
  const jump = () => {
    const place = found.findIndex((s) => String(s.number) === location.hash.slice(1));
    if (place >= 0) { current = place; render(); mark().scrollIntoView({ block: "nearest" }); }
  };
  window.addEventListener("hashchange", jump);
  render();
  if (location.hash) jump();
})();
