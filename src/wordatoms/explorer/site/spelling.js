// Known words that are spelled like an unknown one: the same ones that the server suggests (explorer/lookup.py), by the
// ratio of letters in common blocks (Python's difflib).

const N_SUGGESTED = 3;
const LEAST_ALIKE = 0.75;
const N_COMPARED = 100;
const N_KINDS = 64;
const LONGEST = 127;

/** At most three of the words, the most alike first; those with two letters exchanged come before all others. */
export function similarTo(word, words, isKnown) {
  const letters = [...word];
  const swap = (at) => [...letters.slice(0, at), letters[at + 1], letters[at], ...letters.slice(at + 2)].join("");
  const places = Array.from({ length: Math.max(0, Math.min(letters.length, LONGEST) - 1) }, (_, at) => at);
  const exchanged = places.map(swap).filter(isKnown);
  return [...new Set([...exchanged, ...suggest(letters, words)])].slice(0, N_SUGGESTED);
}

function suggest(letters, words) {
  if (letters.length > LONGEST) return [];
  const counts = countKinds(letters);
  const likely = [];
  for (const word of words) {
    const bound = upperBound(counts, letters.length, word);
    if (bound >= LEAST_ALIKE) likely.push({ word, bound });
  }
  return likely
    .sort((one, other) => other.bound - one.bound)
    .slice(0, N_COMPARED)
    .map(({ word }) => ({ word, ratio: ratio([...word], letters) }))
    .filter((each) => each.ratio >= LEAST_ALIKE)
    .sort((one, other) => other.ratio - one.ratio || (one.word < other.word ? 1 : -1))
    .slice(0, N_SUGGESTED)
    .map(({ word }) => word);
}

function countKinds(letters) {
  const counts = new Uint8Array(N_KINDS);
  for (const letter of letters) counts[letter.codePointAt(0) % N_KINDS]++;
  return counts;
}

/** By the letters that both have, in whatever order. */
function upperBound(counts, length, word) {
  const left = counts.slice();
  let [shared, n] = [0, 0];
  for (const letter of word) {
    n++;
    const kind = letter.codePointAt(0) % N_KINDS;
    if (left[kind] > 0) {
      left[kind]--;
      shared++;
    }
  }
  return n > LONGEST ? 0 : (2 * shared) / Math.max(n + length, 1);
}

function ratio(first, second) {
  return (2 * nMatching(first, second)) / Math.max(first.length + second.length, 1);
}

/** The letters in the longest common block, and in those at both sides of it. */
function nMatching(first, second) {
  const { at, to, size } = longestBlock(first, second);
  if (!size) return 0;
  const before = nMatching(first.slice(0, at), second.slice(0, to));
  return before + size + nMatching(first.slice(at + size), second.slice(to + size));
}

/** The first one where there are several. */
function longestBlock(first, second) {
  let best = { at: 0, to: 0, size: 0 };
  let ends = new Map(); // lengths of the blocks that end here
  first.forEach((letter, i) => {
    const next = new Map();
    second.forEach((other, j) => {
      if (letter !== other) return;
      const size = (ends.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { at: i - size + 1, to: j - size + 1, size };
    });
    ends = next;
  });
  return best;
}
