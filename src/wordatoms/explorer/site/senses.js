// Senses by use have a share of the uses of the word; senses from the paper's code have a weight.

import { decimal, percent } from "./numbers.js";

const LIGHTEST_SHARE = 0.03; // senses with a smaller share are folded, …
const LIGHTEST_LISTED = 0.01; // … unless a list names them

/** What identifies a sense among those of its word: its number, or its atom. */
export const keyOf = ({ sense, atom }) => sense ?? atom;

export const isByUse = ({ sense }) => sense !== null && sense !== undefined;

/** Not every sense by use has an atom that names it. */
export const hasAtom = ({ atom }) => atom >= 0;

const lightest = (sense) => (sense.listed ? LIGHTEST_LISTED : LIGHTEST_SHARE);

export const isRare = (sense) => isByUse(sense) && !sense.is_general && sense.share < lightest(sense);

/** The share, or the weight. */
export const amountOf = (sense) => (isByUse(sense) ? sense.share : sense.weight);

/** "41%" or "0.42". */
export const amountText = (sense) => (isByUse(sense) ? percent(sense.share) : decimal(sense.weight));

/** "41% of the uses" or "0.42". */
export const amountPhrase = (sense) => `${amountText(sense)}${isByUse(sense) ? " of the uses" : ""}`;
