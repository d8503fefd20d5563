// The atoms as arrays, and a grid over the plane that finds those in a rectangle or near a place.

const CELLS = 48; // on each side

export class Points {
  /** Rows are [x, y, meta, n_words, label], as the server gives them; the map lies down where the screen is wide. */
  constructor(rows, hidden = [], isWide = false) {
    const n = rows.length;
    const isTurned = isWide === reach(rows, 0) < reach(rows, 1);
    this.x = Float32Array.from(rows, (row) => row[isTurned ? 1 : 0]);
    this.y = Float32Array.from(rows, (row) => row[isTurned ? 0 : 1]);
    this.extent = { x: reach(rows, isTurned ? 1 : 0), y: reach(rows, isTurned ? 0 : 1) };
    this.meta = Int32Array.from(rows, (row) => row[2] ?? -1);
    this.nWords = Int32Array.from(rows, (row) => row[3]);
    this.labels = rows.map((row) => row[4]);
    this.shortLabels = this.labels.map((label) => label.split(", ", 1)[0]);
    this.sizes = Float32Array.from(this.nWords, (words) => 1.1 + 0.32 * Math.log2(1 + words));
    this.largest = this.sizes.reduce((most, size) => Math.max(most, size), 1);
    this.isHidden = new Uint8Array(n);
    for (const atom of hidden) this.isHidden[atom] = 1;
    const shown = Array.from({ length: n }, (_, atom) => atom).filter((atom) => !this.isHidden[atom]);
    /** The atoms that most words use come first. */
    this.byUse = Int32Array.from(shown.sort((one, other) => this.nWords[other] - this.nWords[one] || one - other));
    this.cells = Array.from({ length: CELLS * CELLS }, () => []);
    for (const atom of this.byUse) this.cells[cellOf(this.x[atom]) + CELLS * cellOf(this.y[atom])].push(atom);
  }

  get length() {
    return this.labels.length;
  }

  /** Call back with each atom in (about) a rectangle. */
  within({ x0, y0, x1, y1 }, callback) {
    for (let row = cellOf(y0); row <= cellOf(y1); row++) {
      for (let column = cellOf(x0); column <= cellOf(x1); column++)
        for (const atom of this.cells[column + CELLS * row]) callback(atom);
    }
  }

  /** The atom nearest to a place, or -1 where none is within the radius. */
  nearest(x, y, radius) {
    let best = -1;
    let least = radius * radius;
    this.within({ x0: x - radius, y0: y - radius, x1: x + radius, y1: y + radius }, (atom) => {
      const distance = (this.x[atom] - x) ** 2 + (this.y[atom] - y) ** 2;
      if (distance <= least) [best, least] = [atom, distance];
    });
    return best;
  }
}

/** How far the places lie from the middle. */
const reach = (rows, axis) => rows.reduce((most, row) => Math.max(most, Math.abs(row[axis])), 1e-3);

const cellOf = (coordinate) => Math.max(0, Math.min(CELLS - 1, Math.floor(((coordinate + 1) / 2) * CELLS)));
