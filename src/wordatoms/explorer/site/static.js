// The answers of a static export: put together here from its files, in the same form as the server's.
// Words are many to a file (api/words/ti.json) and hold numbers only; what atoms are called is in their own files.

const N_WORDS = 12; // nearest and linked words of a sense
const N_NEAREST = 10;
const PAPER_T = 4;
const LEAST_PREFIX = 2;

/** `io`: fetchJson(address), and ApiError to refuse with. */
export async function staticAnswer([kind, ...rest], query, io) {
  const answer = ANSWERS[kind === "lineup" && rest[0] === "answer" ? "lineupAnswer" : kind];
  if (!answer) throw new io.ApiError("This needs the program: start wordatoms explore.", 404);
  return answer(new Files(io), rest, query);
}

const ANSWERS = {
  atoms: (files) => files.get("atoms"),
  atom: (files, [atom]) => fetchAtom(files, atom),
  report: (files) => files.get("report"),
  complete: async (files, _rest, { q, n = 8 }) => ({ words: beginningWith(await files.words(), q.toLowerCase(), n) }),
  search: async (files, _rest, { q }) => ({ atoms: await searchAtoms(files, q.toLowerCase()) }),
  word: (files, _rest, { word, forms }) => answerWord(files, word, forms),
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
      coming.catch(() => fetched.delete(name)); // the next one who asks tries again
    }
    return fetched.get(name);
  }

  /** All words, the most frequent first. */
  async words() {
    return (await this.get("words")).words;
  }

  /** The numbers of one word; undefined where it is not known. */
  async entry(word) {
    shards ??= new Set((await this.words()).map(shardOf));
    if (!shards.has(shardOf(word))) return undefined; // no word begins so, and there is no such file
    const shard = await this.get(`words/${shardOf(word)}`);
    return Object.hasOwn(shard, word) ? shard[word] : undefined;
  }
}

/** tie is in ti, a in a_, élan in _l. */
function shardOf(word) {
  const letters = [...word].slice(0, 2).map((letter) => (/[a-z0-9]/.test(letter) ? letter : "_"));
  return letters.join("").padEnd(2, "_");
}

function beginningWith(words, beginning, n) {
  const found = [];
  for (const word of words) {
    if (word.startsWith(beginning)) found.push(word);
    if (found.length >= n) break;
  }
  return found;
}

// --- words

async function answerWord(files, given, isPooled) {
  const [word, entry] = await findWord(files, given);
  const forms = await readForms(files, word, entry);
  const weights = isPooled ? pool(forms) : new Map(entry.atoms);
  const senses = [...weights].sort(([, one], [, other]) => other - one);
  const words = await files.words();
  return {
    word,
    count: entry.count,
    rank: entry.rank,
    forms,
    senses: await Promise.all(senses.map(([atom, weight]) => makeSense(files, atom, weight, forms))),
    nearest: entry.nearest.map(([rank, similarity]) => ({ word: words[rank - 1], similarity })),
    explained: entry.explained,
  };
}

async function findWord(files, given) {
  for (const word of [given, given.toLowerCase()]) {
    const entry = await files.entry(word);
    if (entry) return [word, entry];
  }
  const words = await files.words();
  throw new files.ApiError(
    `“${given}” is not among the ${words.length} words of the vocabulary.`,
    404,
    alike(words, given.toLowerCase()),
  );
}

/** Words with the longest common beginning. */
function alike(words, given) {
  for (let length = given.length - 1; length >= LEAST_PREFIX; length--) {
    const found = beginningWith(words, given.slice(0, length), 3);
    if (found.length) return found;
  }
  return [];
}

async function readForms(files, word, entry) {
  const others = await Promise.all(entry.forms.map(async (form) => [form, await files.entry(form)]));
  return [[word, entry], ...others]
    .filter(([, each]) => each)
    .map(([form, { count, atoms }]) => ({ form, count, atoms }));
}

/** Each form with its share of the occurrences. */
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
  const { label, named = false, nearest, words, meta } = await files.get(`atom/${atom}`);
  const own = new Set(forms.map(({ form }) => form));
  const shares = forms.flatMap(({ form, atoms }) =>
    atoms.filter(([id]) => id === atom).map(([, share]) => [form, share]),
  );
  return {
    atom,
    weight,
    label,
    named,
    nearest: nearest.slice(0, N_WORDS),
    linked: words.filter((link) => !own.has(link.word)).slice(0, N_NEAREST),
    forms: Object.fromEntries(shares),
    meta: meta.length ? [meta[0][0], meta[0][2]] : null,
  };
}

async function fetchAtom(files, atom) {
  const { atoms } = await files.get("model");
  if (isNumber(atom) && Number(atom) < atoms) return files.get(`atom/${Number(atom)}`);
  throw new files.ApiError(`There is no atom “${atom}”; they have numbers from 0 to ${atoms - 1}.`, 404);
}

function isNumber(text) {
  return /^\d{1,9}$/.test(text);
}

/** Atoms of the word; those by their labels are found in the page. */
async function searchAtoms(files, text) {
  const entry = await files.entry(text);
  const { atoms } = await files.get("atoms");
  return (entry?.atoms ?? []).map(([atom, weight]) => ({
    atom,
    label: atoms[atom][4],
    why: `a sense of ${text} (${weight.toFixed(2)})`,
  }));
}

// --- the lineup

/** There are so many lineups; beyond them it begins again. */
async function fetchLineup(files, seed) {
  if (!isNumber(seed)) throw new files.ApiError(`There is no lineup “${seed}”; they have numbers from 0 on.`, 404);
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
