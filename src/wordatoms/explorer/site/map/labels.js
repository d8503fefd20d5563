// Names on the map: of regions and meta-atoms from afar, of atoms from near, as long as they cover no other.

const CELL = 24; // pixels of the grid that knows where labels are
const MOST = 130;
const SIZE = 12.5;
const REGIONS_UNTIL = 2.2; // zoom
const METAS_UNTIL = 4.5;
const ATOMS_FROM = 2.2;
const TOP = 20; // so many atoms with the largest values of an overlay have names from afar
const MOST_FOUND = 60; // so many names of atoms that were searched for

/** Labels to draw: text, place, size. */
export function placeLabels(painter, camera, { chosen, hovered, found, names, covered }) {
  const { points } = painter;
  const room = new Room(camera);
  const placed = [];
  const marked = new Set([chosen, hovered].filter((atom) => atom >= 0));
  for (const atom of marked) placed.push(room.take(atomLabel(painter, camera, atom, true)));
  const add = (label) => label.text && room.isFree(label) && placed.push(room.take(label));
  for (const atom of [...(found ?? [])].slice(0, MOST_FOUND))
    if (!marked.has(atom)) {
      const label = atomLabel(painter, camera, atom, false, names?.get(atom));
      add(room.isFree(label) ? label : above(label, painter.radius(atom, camera)));
    }
  if (found) return placed.reverse();
  if (camera.zoom < REGIONS_UNTIL)
    for (const group of points.regions) add(groupLabel(painter, camera, covered, group, SIZE + 3));
  if (points.overlay && camera.zoom < ATOMS_FROM) addAtoms(painter, camera, room, placed, marked, placed.length + TOP);
  else if (camera.zoom < METAS_UNTIL) {
    const size = points.regions.length ? SIZE : SIZE + 1.5;
    const bySize = [...points.metas].sort((one, other) => other.atoms.length - one.atoms.length);
    for (const group of bySize) if (group.atoms.length) add(groupLabel(painter, camera, covered, group, size));
  }
  if (camera.zoom >= ATOMS_FROM) addAtoms(painter, camera, room, placed, marked, Math.min(MOST, 30 + 24 * camera.zoom));
  return placed.reverse(); // the strong ones last, on top
}

/** Names of atoms, those that matter most first, until so many labels are placed. */
function addAtoms(painter, camera, room, placed, marked, most) {
  const { points } = painter;
  for (const atom of points.order) {
    if (placed.length >= most) break;
    if (marked.has(atom) || !points.names[atom]) continue;
    const [left, top] = camera.toScreen(points.x[atom], points.y[atom]);
    if (!room.isFreeAt(left, top + SIZE)) continue; // most end here, which is cheap
    const label = atomLabel(painter, camera, atom, false);
    if (room.isFree(label)) placed.push(room.take(label));
  }
}

/** The name of a region or meta-atom, where most of its atoms are; where its middle is seen, all of it is. */
function groupLabel(painter, camera, { left: least = 0, right = 0 }, { name, x, y }, size) {
  const [middle, top] = camera.toScreen(x, y);
  const isStrong = size > SIZE;
  const width = widthOf(painter, name, size, isStrong);
  const most = camera.width - right;
  const isSeen = middle > least && middle < most;
  const left = isSeen ? Math.max(least + width / 2 + 4, Math.min(most - width / 2 - 4, middle)) : middle;
  return { text: name, left, top, size, width, isStrong };
}

/** The label of an atom below its disc: its name on the map, unless another one is given. */
function atomLabel(painter, camera, atom, isStrong, name = painter.points.names[atom]) {
  const { points } = painter;
  const [left, top] = camera.toScreen(points.x[atom], points.y[atom]);
  const text = isStrong ? points.labels[atom] : name;
  const size = isStrong ? SIZE + 1.5 : SIZE;
  return {
    text,
    left,
    top: top + painter.radius(atom, camera) * (isStrong ? 1.5 : 1) + size * 0.75,
    size,
    width: widthOf(painter, text, size, isStrong),
    isStrong,
  };
}

/** The same label on the other side of its disc. */
const above = (label, radius) => ({ ...label, top: label.top - 2 * radius - 1.5 * label.size });

const widths = new Map();
function widthOf({ context, font }, text, size, isStrong) {
  const key = `${isStrong}${size}${text}`;
  if (!widths.has(key)) {
    context.font = `${isStrong ? 600 : 400} ${size}px ${font}`;
    widths.set(key, context.measureText(text).width);
  }
  return widths.get(key);
}

/** A coarse grid over the screen: what is taken. */
class Room {
  constructor({ width, height }) {
    this.columns = Math.ceil(width / CELL);
    this.rows = Math.ceil(height / CELL);
    this.taken = new Uint8Array(this.columns * this.rows);
  }

  isFreeAt(left, top) {
    const [column, row] = [Math.floor(left / CELL), Math.floor(top / CELL)];
    return (
      column >= 0 && row >= 0 && column < this.columns && row < this.rows && !this.taken[column + this.columns * row]
    );
  }

  *cells({ left, top, width, size }) {
    const last = Math.min(this.columns - 1, Math.floor((left + width / 2) / CELL));
    const below = Math.min(this.rows - 1, Math.floor((top + size / 2) / CELL));
    for (let row = Math.max(0, Math.floor((top - size / 2) / CELL)); row <= below; row++) {
      for (let column = Math.max(0, Math.floor((left - width / 2) / CELL)); column <= last; column++)
        yield column + this.columns * row;
    }
  }

  isFree(label) {
    if (!this.isFreeAt(label.left, label.top)) return false; // also where it is outside
    for (const cell of this.cells(label)) if (this.taken[cell]) return false;
    return true;
  }

  take(label) {
    for (const cell of this.cells(label)) this.taken[cell] = 1;
    return label;
  }
}
