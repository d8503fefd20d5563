"""From UTF-8 bytes to word numbers: find the tokens in a block of lines, fold their case, look them up.

A token is a run of letters and combining marks that begins with a letter and may contain apostrophes, or a run of
digits (`split == False`); or whatever stands between white space (`split == True`). The block must be valid UTF-8.

The lexicon is a hash table with open addressing: a slot holds the upper half of the hash and the word's number plus
one. Word k is `blob[starts[k]:starts[k + 1]]`, its bytes packed eight to an integer and padded with zeros (text has no
zero bytes), so that hashing and comparing take one step for most words.
"""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit

# Properties of a code point, one bit each.
LETTER = 1
MARK = 2  # only inside a word
DIGIT = 4
APOSTROPHE = 8
IGNORED = 16  # vanishes inside a word
SPACE = 32
CASED = 64
CASE_IGNORABLE = 128
CHANGES = 256  # never occurs in normal form (NFC)
FIRST = 512  # may compose with a later character
SECOND = 1024  # may compose with an earlier character
ORDER_SHIFT = 11  # above these bits: the combining class, 0 for characters that can stand alone

LINE_END = -1
UNKNOWN = -2

# Why `encode` returned.
DONE = 0
FULL = 1  # the lexicon must grow
ABNORMAL = 2  # the rest of the line must be normalised first

CAPITAL_SIGMA = 0x3A3
SMALL_SIGMA = 0x3C3
FINAL_SIGMA = 0x3C2
CAPITAL_I_WITH_DOT = 0x130
COMBINING_DOT = 0x307

HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
NO_EDGE = -1  # a free slot in the table of phrases


@jit
def decode(block, at):
    """The code point at a byte of valid UTF-8, and its width in bytes."""
    first = np.int64(block[at])
    if first < 0x80:
        return first, 1
    if first < 0xE0:
        return (first & 0x1F) << 6 | (np.int64(block[at + 1]) & 0x3F), 2
    second = np.int64(block[at + 1]) & 0x3F
    if first < 0xF0:
        return (first & 0x0F) << 12 | second << 6 | (np.int64(block[at + 2]) & 0x3F), 3
    return (
        (first & 0x07) << 18 | second << 12 | (np.int64(block[at + 2]) & 0x3F) << 6 | (np.int64(block[at + 3]) & 0x3F),
        4,
    )


@jit
def put(code, out, at):
    """Write a code point as UTF-8; return the place after it."""
    if code < 0x80:
        out[at] = code
        return at + 1
    if code < 0x800:
        out[at] = 0xC0 | code >> 6
        out[at + 1] = 0x80 | code & 0x3F
        return at + 2
    if code < 0x10000:
        out[at] = 0xE0 | code >> 12
        out[at + 1] = 0x80 | code >> 6 & 0x3F
        out[at + 2] = 0x80 | code & 0x3F
        return at + 3
    out[at] = 0xF0 | code >> 18
    out[at + 1] = 0x80 | code >> 12 & 0x3F
    out[at + 2] = 0x80 | code >> 6 & 0x3F
    out[at + 3] = 0x80 | code & 0x3F
    return at + 4


@jit
def may_change(kind, starter, order):
    """Whether normalisation may change a character that follows `starter` and marks up to class `order`.

    A "no" is certain. This is Unicode's quick check, except that a character that may compose with an earlier one
    counts only after a character that may compose with a later one; most vowel signs of Indian scripts then pass.
    """
    own_order = kind >> ORDER_SHIFT
    return kind & CHANGES or (kind & SECOND and starter & FIRST) or 0 < own_order < order


@jit
def token_end(block, at, kinds, split):
    """The end of the token that begins at `at`; -1 - end if the token may not be in normal form."""
    n = len(block)
    abnormal = False
    starter = order = np.int64(0)
    code, width = decode(block, at)
    digits = not split and kinds[code] & DIGIT
    while at < n:
        code, width = decode(block, at)
        kind = np.int64(kinds[code])
        if may_change(kind, starter, order):
            abnormal = True
        order = kind >> ORDER_SHIFT
        if order == 0:
            starter = kind
        if split:
            if kind & SPACE:
                break
        elif digits:
            if not kind & DIGIT:
                break
        elif kind & APOSTROPHE:  # only inside a word
            following = at + width
            if following >= n or not kinds[decode(block, following)[0]] & LETTER:
                break
        elif not kind & (LETTER | MARK | IGNORED):
            break
        at += width
    return -1 - at if abnormal else at


@jit
def is_final_sigma(block, start, at, end, kinds):
    """Whether the capital sigma at `at` ends its word: a cased letter before it, and none after it (Unicode's rule)."""
    before = False
    here = start
    while here < at:
        code, width = decode(block, here)
        if not kinds[code] & CASE_IGNORABLE:
            before = (kinds[code] & CASED) != 0
        here += width
    here += 2
    while before and here < end:
        code, width = decode(block, here)
        if not kinds[code] & CASE_IGNORABLE:
            return not kinds[code] & CASED
        here += width
    return before


@jit
def fold_token(block, start, end, kinds, lower, split, keep_case, out):
    """Fold a token: lower case, plain apostrophes, no ignored characters. Return its length in bytes."""
    at = start
    to = 0
    while at < end:
        code, width = decode(block, at)
        kind = kinds[code]
        if not split and kind & IGNORED:
            at += width
            continue
        if not split and kind & APOSTROPHE:
            code = 0x27
        elif not keep_case:
            if code == CAPITAL_I_WITH_DOT:  # the only letter whose lower case is two code points
                to = put(0x69, out, to)
                code = COMBINING_DOT
            elif code == CAPITAL_SIGMA:
                code = FINAL_SIGMA if is_final_sigma(block, start, at, end, kinds) else SMALL_SIGMA
            else:
                code = lower[code]
        to = put(code, out, to)
        at += width
    return to


@jit
def pack(text, n, key):
    """Pack bytes eight to an integer, the last padded with zeros; return the number of integers."""
    n_parts = (n + 7) >> 3
    for part in range(n_parts):
        value = np.uint64(0)
        for k in range(8 * part, min(8 * part + 8, n)):
            value |= np.uint64(text[k]) << np.uint64(8 * (k & 7))
        key[part] = value
    return n_parts


@jit
def hash_key(key, n_parts):
    """Multiplicative hash; the shift brings the well-mixed upper bits down before the next part is added."""
    value = np.uint64(n_parts)
    for k in range(n_parts):
        value = (value ^ key[k]) * HASH_FACTOR
        value ^= value >> np.uint64(32)
    return value * HASH_FACTOR


@jit
def find_slot(key, n_parts, hashed, slots, starts, blob):
    """The slot of a word, or the free slot where it belongs."""
    mask = len(slots) - 1
    tag = hashed >> np.uint64(32)
    slot = np.int64(hashed >> np.uint64(20)) & mask
    while slots[slot]:
        if slots[slot] >> np.uint64(32) == tag:  # rules out nearly all other words without reading their bytes
            word = np.int64(slots[slot] & np.uint64(0xFFFFFFFF)) - 1
            first = starts[word]
            if starts[word + 1] - first == n_parts:
                k = 0
                while k < n_parts and blob[first + k] == key[k]:
                    k += 1
                if k == n_parts:
                    return slot
        slot = (slot + 1) & mask
    return slot


@jit
def insert(key, n_parts, hashed, slot, slots, starts, blob, n_words):
    """Add a new word at a free slot; return its number."""
    first = starts[n_words]
    for k in range(n_parts):
        blob[first + k] = key[k]
    starts[n_words + 1] = first + n_parts
    slots[slot] = hashed >> np.uint64(32) << np.uint64(32) | np.uint64(n_words + 1)
    return n_words


@jit
def has_room(n_parts, slots, starts, blob, n_words):
    # at most half of the slots are used, so that searches stay short
    words_fit = 2 * (n_words + 1) <= len(slots) and n_words + 2 <= len(starts)
    return words_fit and starts[n_words] + n_parts <= len(blob)


@jit
def add_keys(keys, key_starts, slots, starts, blob, n_words, ids):
    """Look up words and add new ones, for which the caller has made room; return the number of words."""
    for k in range(len(key_starts) - 1):
        key = keys[key_starts[k] : key_starts[k + 1]]
        hashed = hash_key(key, len(key))
        slot = find_slot(key, len(key), hashed, slots, starts, blob)
        if slots[slot]:
            ids[k] = np.int64(slots[slot] & np.uint64(0xFFFFFFFF)) - 1
        else:
            ids[k] = insert(key, len(key), hashed, slot, slots, starts, blob, n_words)
            n_words += 1
    return n_words


@jit
def hash_all(starts, blob, n_words, hashes):
    for word in range(n_words):
        key = blob[starts[word] : starts[word + 1]]
        hashes[word] = hash_key(key, len(key))


@jit
def fill_slots(hashes, slots):
    """Enter the words 0, 1, 2, … into an empty table."""
    mask = len(slots) - 1
    for word in range(len(hashes)):
        slot = np.int64(hashes[word] >> np.uint64(20)) & mask
        while slots[slot]:
            slot = (slot + 1) & mask
        slots[slot] = hashes[word] >> np.uint64(32) << np.uint64(32) | np.uint64(word + 1)


@jit
def pack_ascii(block, at, fold, key):
    """Fold and pack a run of bytes until one folds to zero; return its end and the number of integers."""
    n_parts = 0
    value = np.uint64(0)
    shift = np.uint64(0)
    folded = fold[block[at]]
    while folded:
        value |= np.uint64(folded) << shift
        shift += np.uint64(8)
        if shift == np.uint64(64):
            key[n_parts] = value
            n_parts += 1
            value = np.uint64(0)
            shift = np.uint64(0)
        at += 1
        folded = fold[block[at]]
    if shift:
        key[n_parts] = value
        n_parts += 1
    return at, n_parts


@jit
def general_token(block, at, kinds, lower, split, keep_case, scratch, key):
    """Fold and pack any token; return its end (-1 - end if it may not be in normal form) and the number of integers."""
    end = token_end(block, at, kinds, split)
    stop = end if end >= 0 else -1 - end
    return end, pack(scratch, fold_token(block, at, stop, kinds, lower, split, keep_case, scratch), key)


@jit
def encode(
    block, at, n, kinds, lower, folds, split, keep_case, normal, grow, slots, starts, blob, n_words, ids, n_ids,
    scratch, key,
):  # fmt: skip
    """Append the word numbers of the tokens in `block[at:n]` to `ids`, and `LINE_END` after each line.

    `block[n]` must exist and be a newline. `folds` gives the folded byte, or zero, for the bytes of ASCII words and of
    ASCII numbers. Unknown words are added to the lexicon (`grow`) or become `UNKNOWN`. Returns the reason for
    returning, the place to continue from, the numbers of words and ids, and the room that a new word needs.
    """
    # Pure ASCII tokens, by far the most, are folded and packed in one pass over their bytes. All others, and ASCII
    # words that continue with other letters or an apostrophe, take the general way.
    letters, digits = folds[0], folds[1]
    while at < n:
        byte = block[at]
        end = -1
        if letters[byte]:
            end, n_parts = pack_ascii(block, at, letters, key)
            if block[end] >= 0x80 or kinds[block[end]] & APOSTROPHE:
                end = -1
        elif byte == 32:
            at += 1
            continue
        elif digits[byte]:
            end, n_parts = pack_ascii(block, at, digits, key)
        elif byte == 10:
            ids[n_ids] = LINE_END
            n_ids += 1
            at += 1
            continue
        else:
            code, width = decode(block, at)
            if kinds[code] & SPACE if split else not kinds[code] & (LETTER | DIGIT):
                at += width
                continue
        if end < 0:
            end, n_parts = general_token(block, at, kinds, lower, split, keep_case, scratch, key)
            if end < 0:
                if not normal:
                    return ABNORMAL, at, n_words, n_ids, 0
                end = -1 - end
        hashed = hash_key(key, n_parts)
        slot = find_slot(key, n_parts, hashed, slots, starts, blob)
        if slots[slot]:
            ids[n_ids] = np.int64(slots[slot] & np.uint64(0xFFFFFFFF)) - 1
        elif not grow:
            ids[n_ids] = UNKNOWN
        elif has_room(n_parts, slots, starts, blob, n_words):
            ids[n_ids] = insert(key, n_parts, hashed, slot, slots, starts, blob, n_words)
            n_words += 1
        else:
            return FULL, at, n_words, n_ids, n_parts
        n_ids += 1
        at = end
    return DONE, at, n_words, n_ids, 0


@jit
def edge_hash(edge):
    return np.uint64(edge) * HASH_FACTOR >> np.uint64(36)


@jit
def edge_slot(edge, edges):
    """The slot of an edge of the trie, or the free slot where it belongs."""
    mask = np.uint64(len(edges) - 1)
    slot = edge_hash(edge) & mask
    while edges[slot] != NO_EDGE and edges[slot] != edge:
        slot = slot + np.uint64(1) & mask
    return slot


@jit
def fill_edges(new_edges, edges, children, openings):
    """Enter the edges to the nodes 1, 2, 3, … into an empty table, and mark those that begin a phrase."""
    for k in range(len(new_edges)):
        slot = edge_slot(new_edges[k], edges)
        edges[slot] = new_edges[k]
        children[slot] = k + 1
        if new_edges[k] >= 0:
            openings[edge_hash(new_edges[k]) & np.uint64(len(openings) - 1)] = True


@jit
def longest_phrase(ids, at, n_ids, edges, children, phrase_word):
    """The end and the number of the longest phrase that begins at `at`, or else of the word there."""
    best_end, best_word = at + 1, ids[at]
    parent = np.int64(ids[at])
    here = at + 1
    while here < n_ids and ids[here] >= 0:
        slot = edge_slot(parent << 32 | np.int64(ids[here]), edges)
        if edges[slot] == NO_EDGE:
            break
        node = children[slot]
        here += 1
        if phrase_word[node] >= 0:
            best_end, best_word = here, phrase_word[node]
        parent = -np.int64(node)
    return best_end, best_word


@jit
def join_phrases(ids, n_ids, edges, children, phrase_word, openings):
    """Replace phrases by their own numbers in place, longest first from left to right; return the new length.

    The phrases form a trie. The key of its edge for word w is `a << 32 | w`, where a is the previous word at the start
    of a phrase and minus the node further on; `edges` is a hash table of these keys with open addressing. Most pairs of
    words begin no phrase, which the small table `openings` shows without a search. The last id must be a `LINE_END`.
    """
    mask = np.uint64(len(openings) - 1)
    to = 0
    at = 0
    while at < n_ids:
        word = ids[at]
        if word >= 0 and openings[edge_hash(np.int64(word) << 32 | np.int64(ids[at + 1])) & mask]:
            at, word = longest_phrase(ids, at, n_ids, edges, children, phrase_word)
        else:
            at += 1
        ids[to] = word
        to += 1
    return to


@jit
def tally(ids, counts):
    """Count each word number; return the number of tokens."""
    n_tokens = 0
    for word in ids:
        if word != LINE_END:
            n_tokens += 1
            if word >= 0:
                counts[word] += 1
    return n_tokens


@jit
def reorder_keys(keys, starts, order, out):
    """Write packed words in another order, or some of them."""
    end = 0
    for word in order:
        for k in range(starts[word], starts[word + 1]):
            out[end] = keys[k]
            end += 1


@jit
def write_lines(ids, n_words, text, starts, out):
    """Write encoded lines as text, without words outside the vocabulary and without empty lines.

    Word w is `text[starts[w]:starts[w + 1]]`. Returns the number of bytes written.
    """
    end = 0
    line = 0
    for word in ids:
        if word == LINE_END:
            if end > line:
                out[end - 1] = 10  # replaces the space after the last word
                line = end
        elif 0 <= word < n_words:
            for k in range(starts[word], starts[word + 1]):
                out[end] = text[k]
                end += 1
            out[end] = 32
            end += 1
    return end


@jit
def lines_length(ids, n_words, starts):
    """An upper bound on the bytes that `write_lines` writes."""
    total = 0
    for word in ids:
        if 0 <= word < n_words:
            total += starts[word + 1] - starts[word] + 1
    return total
