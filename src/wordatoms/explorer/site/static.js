// The answers of a static export, put together from its files in the same form as the server's.
// Words share files (api/words/ti.json) and contain numbers only; the labels of atoms are in their own files.

import { documentsAnswer } from "./documents/static.js";
import { similarTo } from "./spelling.js";
import { labelPattern, tokenize } from "./tokens.js";

const N_WORDS = 12; // nearest and linked words of a sense
const PAPER_T = 4;
const MOST_PARTS = 8;
const MOST_FOUND = 50;
const MOST_SENSES = 30;
const LIGHTEST = 0.005; // atoms of a smaller weight are shown only if there are no others
const SENSES_PER_FILE = 128;
const N_LABEL_WORDS = 3;

/** `io`: fetchJson(address), and the class of errors to throw. */
export async function staticAnswer([kind, ...rest], query, io) {
  const answer = ANSWERS[kind === "lineup" && rest[0] === "answer" ? "lineupAnswer" : kind];
  if (!answer) throw new io.ApiError("This view needs the server; run wordatoms explore.", 404);
  return answer(new Files(io), rest, query);
}

const ANSWERS = {
  atoms: (files) => files.get("atoms"),
  atom: (files, [atom]) => fetchAtom(files, atom),
  complete: async (files, _rest, { q, n = 8 }) => complete(await files.get("words"), q, n),
  search: (files, _rest, { q }) => searchAtoms(files, q),
  word: (files, _rest, { word, forms, method }) => answerWord(files, word, forms, method),
  contextual: (files) => files.get("contextual"),
  documents: documentsAnswer,
  lineup: (files, _rest, { seed }) => drawLineup(files, seed),
  lineupAnswer: (files, _rest, { seed, chosen }) => markLineup(files, seed, chosen.split(",").map(Number)),
};

const fetched = new Map();
let shards; // names of the files with words

class Files {
  constructor({ fetchJson, ApiError }) {
    Object.assign(this, { fetchJson, ApiError });
  }

  get(name) {
    if (!fetched.has(name)) {
      const coming = this.fetchJson(`api/${name}.json`);
      fetched.set(name, coming);
      coming.catch(() => fetched.delete(name)); // so that it can be retried
    }
    return fetched.get(name);
  }

  /** All words, the most frequent first. */
  async words() {
    return (await this.get("words")).words;
  }

  /** The numbers of one word; undefined if it is not known. */
  async entry(word) {
    const { words, phrases = [] } = await this.get("words");
    shards ??= new Set([...words, ...phrases].map(shardOf));
    if (!shards.has(shardOf(word))) return undefined; // there is no such file
    const shard = await this.get(`words/${shardOf(word)}`);
    return Object.hasOwn(shard, word) ? shard[word] : undefined;
  }

  /** A word as the model spells it: as given, in lower case, or as its only token; undefined if it is not known. */
  async spell(given) {
    const tokens = await this.tokens(given);
    for (const word of [given, given.toLowerCase(), ...(tokens.length === 1 ? tokens : [])])
      if ((await this.entry(word))?.rank) return word;
    return undefined;
  }

  /** A phrase as the model spells it; phrases have no rank. */
  async findPhrase(given) {
    const phrase = (await this.tokens(given)).join(" ");
    return (await this.entry(phrase)) ? phrase : undefined;
  }

  async tokens(text) {
    return tokenize(text, (await this.get("search")).tokenizer);
  }
}

/** tie is in ti, a in a_, élan in _l. */
function shardOf(word) {
  const letters = [...word].slice(0, 2).map((letter) => (/[a-z0-9]/.test(letter) ? letter : "_"));
  return letters.join("").padEnd(2, "_");
}

function complete({ words, phrases = [] }, prefix, n) {
  if (prefix.includes(" ")) return withPrefix(phrases, prefix.toLowerCase(), n);
  const found = withPrefix(words, prefix, n);
  return found.length ? found : withPrefix(words, prefix.toLowerCase(), n);
}

function withPrefix(words, prefix, n) {
  const found = [];
  for (const word of words) {
    if (word.startsWith(prefix)) found.push(word);
    if (found.length >= n) break;
  }
  return found;
}

// --- words

async function answerWord(files, given, isPooled, asked) {
  const word = (await files.spell(given)) ?? (await files.findPhrase(given)) ?? (await unknownWord(files, given));
  const entry = await files.entry(word);
  const forms = await readForms(files, word, entry);
  const pooled = isPooled ? forms : forms.slice(0, 1);
  const methods = entry.uses === null ? ["code"] : ["uses", "code"];
  const method = methods.includes(asked) ? asked : methods[0];
  const words = await files.words();
  return {
    word,
    method,
    methods,
    count: entry.count,
    rank: entry.rank,
    forms: forms.map(({ form, count, atoms, uses }) => ({
      form,
      count,
      atoms,
      uses: (uses ?? []).map(([sense, share]) => [sense, share]),
    })),
    senses: await (method === "uses" ? sensesByUse(files, entry, pooled, words) : sensesOfCode(files, entry, pooled)),
    nearest: entry.nearest.map(([rank, similarity]) => ({ word: words[rank - 1], similarity })),
    explained: entry.explained,
    text: entry.text,
  };
}

function sensesOfCode(files, entry, forms) {
  const weights = [...(forms.length > 1 ? pool(forms) : new Map(entry.atoms))];
  const heavy = weights.filter(([, weight]) => weight >= LIGHTEST);
  const senses = (heavy.length ? heavy : weights).sort(([, one], [, other]) => other - one).slice(0, MOST_SENSES);
  return Promise.all(senses.map(([atom, weight]) => makeSense(files, atom, weight, forms)));
}

/** By falling share, the general use last. */
async function sensesByUse(files, entry, forms, words) {
  const made = await Promise.all(poolUses(forms).map((use) => makeSenseByUse(files, use, entry, forms, words)));
  const found = made.filter((sense) => sense.listed || isJoined(sense, forms));
  return [...found.filter((sense) => !sense.is_general), ...found.filter((sense) => sense.is_general)].slice(
    0,
    MOST_SENSES,
  );
}

/** A sense joins the word if its own uses confirm it, or those of two of its forms; a listed one, of one form. */
const isJoined = ({ forms: seen }, forms) => Object.hasOwn(seen, forms[0].form) || Object.keys(seen).length > 1;

function poolUses(forms) {
  const total = forms.reduce((sum, { count }) => sum + Math.max(count ?? 1, 1), 0);
  const pooled = new Map();
  for (const { form, count, uses } of forms) {
    for (const [sense, share, n] of uses ?? []) {
      const use = pooled.get(sense) ?? { sense, share: 0, n_occurrences: 0, forms: {} };
      use.share += (share * Math.max(count ?? 1, 1)) / total;
      use.n_occurrences += n;
      use.forms[form] = share;
      pooled.set(sense, use);
    }
  }
  return [...pooled.values()].sort((one, other) => other.share - one.share || one.sense - other.sense);
}

async function makeSenseByUse(files, use, entry, forms, words) {
  const chunk = await files.get(`senses/${Math.floor(use.sense / SENSES_PER_FILE)}`);
  const [atom, isGeneral, near, written, name] = chunk[use.sense % SENSES_PER_FILE];
  const nearest = near.map(([rank, similarity]) => ({ word: words[rank - 1], similarity }));
  const label = isGeneral
    ? "general use"
    : nearest
        .slice(0, N_LABEL_WORDS)
        .map(({ word }) => word)
        .join(", ");
  const weight = entry.atoms.find(([id]) => id === atom)?.[1] ?? 0;
  const unnamed = { label, atom_label: "", named: false, listed: false, linked: [], meta: null, example: null };
  const ofAtom = atom < 0 ? unnamed : await makeSense(files, atom, weight, forms);
  const example = written ?? (isGeneral ? null : ofAtom.example);
  const listed = name ? { label: name, named: true, listed: true } : {};
  return { ...ofAtom, ...listed, ...use, atom, weight, nearest, example, is_general: isGeneral };
}

async function unknownWord(files, given) {
  const words = await files.words();
  const n = words.length.toLocaleString("en");
  const known = new Set(words);
  const isKnown = (word) => known.has(word);
  const tokens = [...new Set(await files.tokens(given))];
  const isPhrase = (await files.tokens(given)).length > 1;
  const strange = isPhrase ? tokens.filter((token) => !isKnown(token)).slice(0, MOST_PARTS) : [given.toLowerCase()];
  throw new files.ApiError(`'${given}' is not among the ${n} words of the vocabulary.`, 404, {
    suggestions: strange.flatMap((word) => similarTo(word, words, isKnown)),
    parts: isPhrase ? tokens.filter(isKnown).slice(0, MOST_PARTS) : [],
  });
}

async function readForms(files, word, entry) {
  const others = await Promise.all(entry.forms.map(async (form) => [form, await files.entry(form)]));
  return [[word, entry], ...others]
    .filter(([, each]) => each)
    .map(([form, { count, atoms, uses }]) => ({ form, count, atoms, uses }));
}

/** Weight each form by its share of the occurrences. */
function pool(forms) {
  const total = forms.reduce((sum, { count }) => sum + Math.max(count ?? 1, 1), 0);
  const weights = new Map();
  for (const { count, atoms } of forms) {
    for (const [atom, weight] of atoms)
      weights.set(atom, (weights.get(atom) ?? 0) + (weight * Math.max(count ?? 1, 1)) / total);
  }
  return weights;
}

async function makeSense(files, atom, weight, forms) {
  const { label, named = false, nearest, words, meta, quote } = await files.get(`atom/${atom}`);
  const own = new Set(forms.map(({ form }) => form));
  const shares = forms.flatMap(({ form, atoms }) =>
    atoms.filter(([id]) => id === atom).map(([, share]) => [form, share]),
  );
  return {
    atom,
    weight,
    label,
    atom_label: label,
    named,
    listed: false,
    nearest: nearest.slice(0, N_WORDS),
    linked: words.filter((link) => !own.has(link.word)).slice(0, N_WORDS),
    forms: Object.fromEntries(shares),
    meta: meta.length ? [meta[0][0], meta[0][2]] : null,
    example: quote ?? null,
  };
}

async function fetchAtom(files, atom) {
  const { atoms } = await files.get("model");
  if (isNumber(atom) && Number(atom) < atoms) return files.get(`atom/${Number(atom)}`);
  throw new files.ApiError(`There is no atom “${atom}”; atoms are numbered from 0 to ${atoms - 1}.`, 404);
}

function isNumber(text) {
  return /^\d{1,9}$/.test(text);
}

// --- search

/** Atoms by name, word or label: the same matches in the same order as `SenseModel.search`. */
async function searchAtoms(files, text) {
  const { names, labels, hidden } = await files.get("search");
  const spelling = await files.spell(text);
  const reasons = new Map();
  const add = (atom, why) => reasons.has(atom) || hidden.includes(atom) || reasons.set(atom, why);
  for (const [atom, name] of Object.entries(names))
    if (name.toLowerCase().includes(text.toLowerCase())) add(Number(atom), `its name is ${name}`);
  if (spelling) await addMatches(files, spelling, add);
  const pattern = labelPattern(text, spelling !== undefined);
  if (text.trim()) labels.forEach((label, atom) => pattern.test(label) && add(atom, `its label is ${label}`));
  if (!spelling) for (const word of await files.tokens(text)) await addMatches(files, word, add);
  return [...reasons].slice(0, MOST_FOUND).map(([atom, why]) => ({ atom, label: names[atom] ?? labels[atom], why }));
}

async function addMatches(files, word, add) {
  for (const [atom, weight] of (await files.entry(word))?.matches ?? [])
    add(atom, weight === null ? `${word} is one of its near words` : `a sense of ${word} (${weight.toFixed(2)})`);
}

// --- the lineup

/** Seeds beyond the number of exported lineups start again from the first. */
async function fetchLineup(files, seed) {
  if (!isNumber(seed)) throw new files.ApiError(`There is no lineup “${seed}”; lineups are numbered from 0.`, 404);
  const { lineups } = await files.get("model");
  return files.get(`lineup/${Number(seed) % lineups}`);
}

async function drawLineup(files, seed) {
  const { word, n, senses } = await fetchLineup(files, seed);
  return { seed: Number(seed), word, n, senses };
}

async function markLineup(files, seed, chosen) {
  const { true: own, ranked, paper } = await fetchLineup(files, seed);
  const [machine, machine4] = [ranked.slice(0, chosen.length), ranked.slice(0, PAPER_T)];
  return {
    true: own,
    machine,
    machine4,
    you: score(chosen, own),
    machine_score: score(machine, own),
    machine4_score: score(machine4, own),
    paper,
  };
}

function score(chosen, own) {
  const right = chosen.filter((number) => own.includes(number)).length;
  return { precision: chosen.length ? right / chosen.length : 0, recall: right / own.length };
}
