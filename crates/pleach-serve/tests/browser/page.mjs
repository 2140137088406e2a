// The page in a real browser: node page.mjs ADDRESS SCREENSHOTS
// The folder of playwright-core is in NODE_PATH's place: PLAYWRIGHT names it.

import { createRequire } from "node:module";
import { mkdirSync, readFileSync } from "node:fs";
import assert from "node:assert/strict";

const require = createRequire(import.meta.url);
const { chromium } = require(process.env.PLAYWRIGHT || "playwright-core");
const [address, shots] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, acceptDownloads: true, colorScheme: "light" });
const page = await context.newPage();
page.setDefaultTimeout(60000);
const problems = [];
const foreign = [];
page.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
page.on("pageerror", (error) => problems.push(String(error)));
page.on("request", (request) => {
  if (!request.url().startsWith(address) && !request.url().startsWith("blob:")) foreign.push(request.url());
});

const shot = (name) => page.screenshot({ path: `${shots}/${name}.png` });
const articles = () => page.locator("article");
const settle = async (count) => {
  await page.waitForFunction((wanted) => document.querySelectorAll("article figure svg").length === wanted, count);
};
// The status tells of a text whose words number this many.
const parsed = (words) => page.waitForFunction((n) => document.getElementById("status").textContent.includes(` ${n} words`), words);
const file = (name, content) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
const row = (id, form, head, label, deps) => `${id}\t${form}\t_\tX\t_\t_\t${head}\t${label}\t${deps}\t_\n`;
const test = async (name, body) => {
  await body();
  console.log(`ok ${name}`);
};

await test("the first example is drawn", async () => {
  await page.goto(address);
  await settle(1);
  assert.match(await articles().first().textContent(), /Mark/);
  await shot("start");
});

await test("typing redraws, a paragraph is a list", async () => {
  await page.fill("#text", "");
  await page.locator("#text").pressSequentially("Mary wants to sleep. He does not", { delay: 15 });
  await parsed(8);
  await settle(2);
  assert.deepEqual(await page.locator("article p.text").allTextContents(), ["Mary wants to sleep.", "He does not"]);
  await shot("typing");
});

await test("pointing lights up and explains", async () => {
  await page.fill("#text", "The company that Mark wants to buy is small.");
  await parsed(10);
  await page.locator('article svg text[data-owner="w4"]').first().hover();
  assert.ok(await page.locator("article svg.lit .hot").count() > 3);
  assert.match(await page.locator("#told").textContent(), /wants.*subject/s);
  await shot("pointing");
  await page.mouse.move(5, 5);
  await page.locator("#told:empty").waitFor({ state: "attached" });
});

await test("keys walk through words and arcs", async () => {
  await page.locator("article figure").first().focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator("#told h3").textContent(), /^1 The/);
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator("#told h3").textContent(), /→/);
  await page.keyboard.press("Escape");
});

await test("relations are filtered", async () => {
  await page.locator("#filter summary").click();
  await page.locator("#relations button", { hasText: /^nsubj / }).click();
  assert.ok(await page.locator("article svg .off").count() > 5);
  await shot("filter");
  await page.locator("#relations button", { hasText: /^nsubj / }).click();
  assert.equal(await page.locator("article svg .off").count(), 0);
  await page.locator("#filter summary").click();
});

await test("steps go forwards and backwards by keys", async () => {
  await page.locator("article figure").first().focus();
  await page.keyboard.press("s");
  await page.locator(".stepping .where", { hasText: "0 /" }).waitFor();
  assert.match(await page.locator(".stepping .offers").textContent(), /SHIFT.*taken/);
  const hidden = () => page.locator(".stepping svg .a.future").count();
  const before = await hidden();
  for (let i = 0; i < 8; i += 1) await page.keyboard.press("ArrowRight");
  assert.match(await page.locator(".stepping .where").textContent(), /^8 \//);
  assert.ok(await hidden() < before);
  await shot("stepping");
  await page.keyboard.press("ArrowLeft");
  assert.match(await page.locator(".stepping .where").textContent(), /^7 \//);
  await page.keyboard.press("End");
  assert.equal(await hidden(), 0);
  await page.locator(".stepping .system").selectOption("sl-standard");
  await page.locator(".stepping .lists", { hasText: "list λ′" }).waitFor();
});

await test("a graph is taken apart into three trees", async () => {
  await page.locator("article header button", { hasText: "Trees" }).click();
  await page.locator(".trees figure svg").nth(2).waitFor();
  assert.match(await page.locator(".trees").textContent(), /Tree 1: \d+ of 11 arcs/);
  await shot("trees");
  await page.locator("article header button", { hasText: "Trees" }).click();
});

await test("a link gives the same view", async () => {
  await page.locator(".stepping .forward").click();
  await page.click("#link");
  const link = page.url();
  assert.match(link, /text=The\+company.*step=0\.1\.sl-standard/);
  const other = await context.newPage();
  await other.goto(link);
  await other.locator(".stepping .where", { hasText: /^1 \// }).waitFor();
  assert.equal(await other.inputValue("#text"), "The company that Mark wants to buy is small.");
  await other.close();
});

await test("pictures and files are downloaded", async () => {
  const save = async (action) => {
    const [download] = await Promise.all([page.waitForEvent("download"), action()]);
    return readFileSync(await download.path());
  };
  const svg = await save(() => page.locator("article header button", { hasText: "SVG" }).first().click());
  assert.match(svg.toString(), /^<svg/);
  const png = await save(() => page.locator("article header button", { hasText: "PNG" }).first().click());
  assert.deepEqual([...png.subarray(1, 4)], [...Buffer.from("PNG")]);
  assert.ok(png.length > 5000, "the PNG is empty");
  const conllu = await save(() => page.click("#conllu"));
  assert.match(conllu.toString(), /^# sent_id = 1\n# text = The company/);
});

const gold = "# sent_id = g1\n" + row(1, "Mark", 2, "nsubj", "2:nsubj|4:nsubj:xsubj") + row(2, "wants", 0, "root", "0:root")
  + row(3, "to", 4, "mark", "4:mark") + row(4, "sleep", 2, "xcomp", "2:xcomp") + "\n";
const system = gold.replace("2:nsubj|4:nsubj:xsubj", "2:obj").replace("4:mark", "4:mark|2:dep");

await test("gold and system are compared", async () => {
  await page.setInputFiles("#open", [file("gold.conllu", gold), file("system.conllu", system)]);
  await page.locator("#scores table").waitFor();
  assert.match(await page.locator("article h2").textContent(), /1 missing, 1 spurious, 1 with other labels/);
  assert.match(await page.locator("#scores").textContent(), /ELAS/);
  assert.ok(await page.locator("article svg .am").count() > 0 && await page.locator("article svg .as").count() > 0);
  await shot("comparing");
});

await test("two models are compared", async () => {
  await page.click("#close");
  await page.selectOption("#with", { index: 2 });
  await page.locator("#scores table").waitFor();
  assert.match(await page.locator("#scores").textContent(), /100\.00/);
  await page.selectOption("#with", "");
  await page.locator("#scores").waitFor({ state: "hidden" });
});

await test("tree and graph together", async () => {
  await page.setInputFiles("#open", [file("gold.conllu", gold)]);
  await page.locator("#status", { hasText: "gold.conllu: 1 sentence" }).waitFor();
  await page.selectOption("#basis", "both");
  await page.locator("article svg .as").first().waitFor({ state: "attached" });
  assert.match(await page.locator("#legend").textContent(), /in the graph only/);
  await shot("both");
  await page.selectOption("#basis", "auto");
});

await test("files are dropped, browsed and searched", async () => {
  const many = Array.from({ length: 25 }, (_, i) => `# sent_id = s${i + 1}\n` + row(1, `word${i + 1}`, 0, "root", "0:root") + "\n").join("");
  const transfer = await page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], "many.conllu"));
    return data;
  }, many);
  await page.dispatchEvent("body", "dragenter", { dataTransfer: transfer });
  await page.locator("#drop").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
  await page.locator("#status", { hasText: "many.conllu: 25 sentences" }).waitFor();
  assert.equal(await articles().count(), 10);
  await page.keyboard.press("n");
  await page.locator("#where", { hasText: "11–20 of 25" }).waitFor();
  await page.fill("#query", "form=word7");
  await page.waitForFunction(() => document.querySelectorAll("article").length === 1);
  await shot("browsing");
});

await test("a broken file says where it is broken", async () => {
  await page.setInputFiles("#open", [file("broken.conllu", gold + "1\tonly\tthree\n\n")]);
  await page.locator("#problem").waitFor();
  assert.match(await page.locator("#problem").textContent(), /broken\.conllu: line 7, column/);
  await shot("broken");
});

await test("200 words stay within the page", async () => {
  const long = Array.from({ length: 25 }, (_, i) => `the big dog number ${i} saw a cat`).join(" and ");
  await page.fill("#text", `${long} today.`);
  await page.waitForFunction(() => / 2\d\d words/.test(document.getElementById("status").textContent));
  const size = await page.evaluate(() => {
    const svg = document.querySelector("article figure svg");
    return { svg: svg.getBoundingClientRect().width, page: document.documentElement.clientWidth };
  });
  assert.ok(size.svg <= size.page, JSON.stringify(size));
  await shot("long");
});

await test("Chinese", async () => {
  const chinese = "# sent_id = zh\n# text = 妈妈把苹果吃了。\n" + row(1, "妈妈", 4, "nsubj", "4:Agt") + row(2, "把", 3, "case", "3:mPrep")
    + row(3, "苹果", 4, "obl", "4:Pat") + row(4, "吃", 0, "root", "0:Root") + row(5, "了", 4, "aux", "4:mTime") + row(6, "。", 4, "punct", "4:mPunc") + "\n";
  await page.setInputFiles("#open", [file("zh.conllu", chinese)]);
  await page.locator("#status", { hasText: "zh.conllu: 1 sentence" }).waitFor();
  assert.equal(await page.locator("article svg text.f").count(), 6);
  await shot("chinese");
});

await test("markup stays text", async () => {
  await page.fill("#text", "<script>window.pwned = 1</script> <img src=x onerror=window.pwned=1> sleeps.");
  await page.waitForFunction(() => document.querySelector("article p.text")?.textContent.includes("<script>"));
  const bad = "<script>window.pwned=1</script>";
  const evil = `# sent_id = "><img src=x onerror=window.pwned=1>\n` + row(1, bad, 0, bad, `0:<img/src=x/onerror=window.pwned=1>`) + row(2, "b", 1, "x", `1:${bad}`) + "\n";
  await page.setInputFiles("#open", [file("evil.conllu", evil)]);
  await page.locator("#status", { hasText: "evil.conllu: 1 sentence" }).waitFor();
  await page.locator("article svg text.f").first().hover();
  await page.locator("article details summary").click();
  await page.locator("article table td").first().waitFor();
  await page.locator("#filter summary").click();
  await shot("injection");
  const found = await page.evaluate(() => ({
    pwned: window.pwned, scripts: document.querySelectorAll("body script, article img, svg script, svg img").length,
  }));
  assert.deepEqual(found, { pwned: undefined, scripts: 0 });
});

await test("dark, and as narrow as a phone", async () => {
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 390, height: 800 });
  await page.fill("#text", "The company that Mark wants to buy is small. She bought and ate an apple.");
  await parsed(17);
  await page.waitForFunction(() => {
    const svg = document.querySelector("article figure svg");
    return svg && svg.getBoundingClientRect().width <= 390;
  });
  await page.click("#theme");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} wide`);
  await page.evaluate(() => scrollTo(0, 0));
  await shot("phone");
  await page.setViewportSize({ width: 1200, height: 900 });
  await page.waitForFunction(() => document.querySelector("article figure svg").getBoundingClientRect().width > 390);
  await shot("dark");
});

// The broken file's answer is an error that the browser notes, and the only one.
const unexpected = problems.filter((text) => !/status of 422/.test(text));
assert.deepEqual(unexpected, []);
assert.deepEqual(foreign, [], "the page asks others");
await browser.close();
console.log("all passed");
