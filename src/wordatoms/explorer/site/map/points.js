// The atoms as arrays, their groups, and a grid over the plane that finds those in a rectangle or near a place.

const CELLS = 48; // on each side
const DENSE = 0.12; // members of a group within this distance make the place of its name

export class Points {
  /**
   * Atoms are [x, y, meta, n_words, label], as the server gives them, with their names on the map, the meta-atoms and
   * the regions; the map lies down where the screen is wide.
   */
  constructor({ atoms: rows, metas = [], hidden = [], names, regions = [], region = [] }, isWide = false) {
    const n = rows.length;
    const isTurned = isWide === reach(rows, 0) < reach(rows, 1);
    this.x = Float32Array.from(rows, (row) => row[isTurned ? 1 : 0]);
    this.y = Float32Array.from(rows, (row) => row[isTurned ? 0 : 1]);
    this.extent = { x: reach(rows, isTurned ? 1 : 0), y: reach(rows, isTurned ? 0 : 1) };
    this.meta = Int32Array.from(rows, (row) => row[2] ?? -1);
    this.nWords = Int32Array.from(rows, (row) => row[3]);
    this.labels = rows.map((row) => row[4]);
    this.names = names ?? this.labels.map((label) => label.split(", ", 1)[0]);
    this.usualSizes = Float32Array.from(this.nWords, (words) => 1.1 + 0.32 * Math.log2(1 + words));
    this.isHidden = new Uint8Array(n);
    for (const atom of hidden) this.isHidden[atom] = 1;
    const shown = Array.from({ length: n }, (_, atom) => atom).filter((atom) => !this.isHidden[atom]);
    /** The atoms that most words use come first. */
    this.byUse = Int32Array.from(shown.sort((one, other) => this.nWords[other] - this.nWords[one] || one - other));
    this.cells = Array.from({ length: CELLS * CELLS }, () => []);
    for (const atom of this.byUse) this.cells[cellOf(this.x[atom]) + CELLS * cellOf(this.y[atom])].push(atom);
    this.metas = this.makeGroups(metas, this.meta);
    this.region = regions.length ? Int32Array.from(region) : null;
    this.regions = this.region ? this.makeGroups(regions, this.region) : [];
    this.lay(null);
  }

  /**
   * Give the atoms the sizes and colours of an overlay (see overlays.js); without one, those of their own. The colour
   * of an atom is that of its group: its region where there are regions, else its meta-atom.
   */
  lay(overlay) {
    this.overlay = overlay;
    const groups = this.region ?? this.meta;
    this.sizes = overlay ? Float32Array.from(overlay.sizes) : this.usualSizes;
    this.largest = this.sizes.reduce((most, size) => Math.max(most, size), 1);
    this.colourOf = overlay ? groups.map((group, atom) => overlay.toneOf(atom) ?? group) : groups;
    /** The atoms whose names matter most come first. */
    this.order = overlay
      ? this.byUse.slice().sort((one, other) => Math.abs(overlay.values[other]) - Math.abs(overlay.values[one]))
      : this.byUse;
  }

  get length() {
    return this.labels.length;
  }

  /** Groups by number: name, members, and the place of the name, which is where most members are. */
  makeGroups(names, groupOf) {
    const groups = names.map((name, number) => ({ number, name, atoms: [] }));
    for (const atom of this.byUse) groups[groupOf[atom]]?.atoms.push(atom);
    for (const group of groups) Object.assign(group, this.densestPlace(group.atoms));
    return groups;
  }

  densestPlace(atoms) {
    const near = (one) =>
      atoms.filter((other) => Math.hypot(this.x[one] - this.x[other], this.y[one] - this.y[other]) < DENSE);
    const most = atoms.reduce((best, atom) => {
      const around = near(atom);
      return around.length > best.length ? around : best;
    }, []);
    const mean = (places) => most.reduce((sum, atom) => sum + places[atom], 0) / Math.max(most.length, 1);
    return { x: mean(this.x), y: mean(this.y) };
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
