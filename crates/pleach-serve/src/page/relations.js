// What relations and tags mean, in words, with the place of their definition.

const UD = "https://universaldependencies.org/u/";

const RELATIONS = {
  acl: "clause that modifies a noun",
  advcl: "adverbial clause: when, why, how or on what condition",
  advmod: "adverb that modifies",
  amod: "adjective that modifies a noun",
  appos: "second name of the same thing",
  aux: "auxiliary verb",
  case: "preposition, postposition or case marker",
  cc: "conjunction: and, or, but",
  ccomp: "clause that is an object, with a subject of its own",
  clf: "classifier",
  compound: "part of a compound",
  conj: "coordinated with the first conjunct",
  cop: "copula: a form of “be” before a predicate",
  csubj: "clause that is the subject",
  dep: "some relation that could not be told",
  det: "determiner",
  discourse: "interjection or discourse particle",
  dislocated: "element outside of the clause's core, taken up again inside",
  expl: "expletive: “there”, “it” without meaning of its own",
  fixed: "part of a fixed expression",
  flat: "part of a name or an expression without a head",
  goeswith: "part of a word that was split by mistake",
  iobj: "indirect object: to whom, for whom",
  list: "item of a list",
  mark: "word that introduces a clause: that, if, because",
  nmod: "noun that modifies a noun",
  nsubj: "subject: who or what does it or is it",
  nummod: "number that counts a noun",
  obj: "object: whom or what it is done to",
  obl: "noun that modifies a verb: where, when, with what",
  orphan: "left over where the verb was left out",
  parataxis: "put beside, without being coordinated or subordinated",
  punct: "punctuation",
  ref: "relative pronoun that refers to this word",
  reparandum: "corrected by what follows",
  root: "top of the sentence",
  vocative: "the one who is addressed",
  xcomp: "predicate without a subject of its own, which it shares with the verb above",
};

const SUBTYPES = {
  pass: "of a passive verb",
  relcl: "as a relative clause",
  poss: "as a possessor",
  prt: "as a verb's particle",
  xsubj: "shared with the verb above (only in deep graphs)",
  agent: "as the agent of a passive",
  tmod: "of time",
  npmod: "as a measure",
  preconj: "before the first conjunct",
  predet: "before the determiner",
  outer: "of the outer clause",
  cop: "as a copula",
};

const TAGS = {
  ADJ: "adjective", ADP: "adposition", ADV: "adverb", AUX: "auxiliary", CCONJ: "coordinating conjunction",
  DET: "determiner", INTJ: "interjection", NOUN: "noun", NUM: "number", PART: "particle", PRON: "pronoun",
  PROPN: "proper noun", PUNCT: "punctuation", SCONJ: "subordinating conjunction", SYM: "symbol", VERB: "verb",
  X: "other",
};

/** The part of a label before its subtypes and case markers. */
export const base = (label) => label.split(/[:>]/)[0];

/** A label in words, and the address of its definition if it is one of Universal Dependencies. */
export const explain = (label) => {
  const steps = label.split(">");
  const parts = steps[0].split(":");
  const known = RELATIONS[parts[0]];
  if (!known) return { text: "a relation of this treebank or model", address: null };
  let text = known;
  for (const subtype of parts.slice(1)) text += SUBTYPES[subtype] ? `, ${SUBTYPES[subtype]}` : `, with “${subtype}”`;
  if (steps.length > 1) text += "; through a word that is not there";
  const address = parts[0] === "ref"
    ? "https://universaldependencies.org/u/overview/enhanced-syntax.html"
    : `${UD}dep/${parts[0]}.html`;
  return { text, address };
};

/** A universal part of speech in words. */
export const tagText = (tag) => (TAGS[tag] ? `${tag}, ${TAGS[tag]}` : tag);
