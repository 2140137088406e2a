// Files of the user's own: what they seem to be, and their sentences.

import * as service from "./service.js";

const FORMATS = {
  conllu: "conllu", connlu: "conllu", sdp: "sdp2015", sdp2015: "sdp2015", sdp2014: "sdp2014", conll: "semeval16",
  semeval16: "semeval16", mrp: "mrp", jsonl: "mrp", conllx: "conllx", conll06: "conllx", conll09: "conll09",
  parg: "parg", mrg: "brackets", fid: "brackets", brackets: "brackets", ptb: "brackets", ctb: "brackets",
};

/** The format that a file's name says, `text`, or `auto`. The service looks at SDP's version itself. */
export const formatOf = (name) => {
  const plain = name.toLowerCase().replace(/\.(gz|zst)$/, "");
  const extension = plain.includes(".") ? plain.split(".").pop() : "";
  if (["txt", "md", "text"].includes(extension)) return "text";
  if (["sdp", "conll"].includes(extension)) return "auto";
  return FORMATS[extension] || "auto";
};

/** The content of a file: its text, or its sentences. */
export const open = async (file, limit) => {
  if (limit && file.size > limit) {
    const megabytes = (size) => (size / 1e6).toFixed(1);
    throw new Error(`${file.name} has ${megabytes(file.size)} MB, and the service reads ${megabytes(limit)} MB at a time`);
  }
  const from = formatOf(file.name);
  if (from === "text") return { name: file.name, text: await file.text() };
  const content = await file.arrayBuffer();
  try {
    const { sentences } = await service.read(content, from);
    return { name: file.name, sentences };
  } catch (error) {
    // What is in no format is text, unless its name says otherwise.
    if (from === "auto" && error.code === "unknown_format") return { name: file.name, text: await file.text() };
    error.message = `${file.name}: ${error.message}`;
    throw error;
  }
};

// "form:walk" looks inside, "form=walk" at the whole; a plain word looks everywhere.
const parseQuery = (query) => query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
  const match = /^(form|lemma|label|id)([:=])(.+)$/.exec(word);
  if (!match) return { fields: ["form", "lemma", "label", "id"], needle: word };
  return { fields: [match[1]], needle: match[2] === "=" ? `\n${match[3]}\n` : match[3] };
});

const searchable = (sentence) => {
  const field = (texts) => `\n${texts.join("\n").toLowerCase()}\n`;
  return {
    form: field(sentence.tokens.map((token) => token.form)),
    lemma: field(sentence.tokens.map((token) => token.lemma || "")),
    label: field([...sentence.arcs.map((arc) => arc.label), ...sentence.tokens.map((token) => token.deprel || "")]),
    id: field([sentence.id || ""]),
  };
};

const cache = new WeakMap();

/** Whether a sentence has all that a query looks for. */
export const matches = (sentence, query) => {
  const terms = parseQuery(query);
  if (!terms.length) return true;
  if (!cache.has(sentence)) cache.set(sentence, searchable(sentence));
  const fields = cache.get(sentence);
  return terms.every((term) => term.fields.some((field) => fields[field].includes(term.needle)));
};
