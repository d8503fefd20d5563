// The tokenizer of the model (wordatoms/text/tokenizer.py), for exports that have no server to ask.

const INNER = "\\p{L}\\p{M}\\u200c\\u200d\\u00ad\\u2060\\ufe00-\\ufe0f";
const WORD = new RegExp(`\\p{L}[${INNER}]*(?:['’]\\p{L}[${INNER}]*)*|\\p{Nd}+`, "gu");
const IGNORED = /[\u00ad\u2060\ufe00-\ufe0f]/gu;

/** The tokens of a text; `settings` has keep_case, pretokenized, and phrases as lists of words. */
export function tokenize(text, settings) {
  return text.split("\n").flatMap((line) => joinPhrases(splitWords(line, settings), settings.phrases));
}

function splitWords(line, { keep_case, pretokenized }) {
  const text = line.normalize("NFC");
  const words = pretokenized
    ? text.split(/\s+/u).filter(Boolean)
    : (text.match(WORD) ?? []).map((word) => word.replaceAll("’", "'").replace(IGNORED, ""));
  return keep_case ? words : words.map((word) => word.toLowerCase());
}

/** The longest phrase at each position becomes one token: new_york. */
function joinPhrases(words, phrases) {
  const longest = [...phrases].sort((one, other) => other.length - one.length);
  const joined = [];
  for (let at = 0; at < words.length; ) {
    const phrase = longest.find((each) => each.every((word, k) => word === words[at + k])) ?? [words[at]];
    joined.push(phrase.join("_"));
    at += phrase.length;
  }
  return joined;
}

const LETTER = "[\\p{L}\\p{N}_]";
const BOUNDARY = `(?:(?<=${LETTER})(?!${LETTER})|(?<!${LETTER})(?=${LETTER}))`;

/** Matches labels that have a word with this prefix, or with `isWhole` this word. */
export function labelPattern(text, isWhole) {
  const literal = text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return new RegExp(`${BOUNDARY}${literal}${isWhole ? BOUNDARY : ""}`, "iu");
}
