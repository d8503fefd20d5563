// Which labels to show: those of much-used atoms first, as long as they cover no other. More appear as one zooms in.

const CELL = 24; // pixels of the grid that knows where labels are
const MOST = 130;
const SIZE = 12.5;
const WHOLE_AT = 5; // from this zoom on a label has all its words

/** Labels to draw: text, place, size. */
export function placeLabels(painter, camera, { chosen, hovered, found }) {
  const { points } = painter;
  const room = new Room(camera);
  const placed = [];
  for (const atom of new Set([chosen, hovered]))
    if (atom >= 0) placed.push(room.take(makeLabel(painter, camera, atom, true)));
  const most = Math.min(MOST, 30 + 24 * camera.zoom);
  for (const atom of points.byUse) {
    if (placed.length >= most) break;
    if (atom === chosen || atom === hovered || (found && !found.has(atom))) continue;
    const [left, top] = camera.toScreen(points.x[atom], points.y[atom]);
    if (!room.isFreeAt(left, top + SIZE)) continue; // most end here, which is cheap
    const label = makeLabel(painter, camera, atom, false);
    if (room.isFree(label)) placed.push(room.take(label));
  }
  return placed.reverse(); // the strong ones last, on top
}

function makeLabel(painter, camera, atom, isStrong) {
  const { points } = painter;
  const [left, top] = camera.toScreen(points.x[atom], points.y[atom]);
  const isWhole = isStrong || camera.zoom >= WHOLE_AT;
  const text = isWhole ? points.labels[atom] : points.shortLabels[atom];
  const size = isStrong ? SIZE + 1.5 : SIZE;
  return {
    text,
    left,
    top: top + painter.radius(atom, camera) * (isStrong ? 1.5 : 1) + size * 0.75,
    size,
    width: widthOf(painter, text, size),
    isStrong,
  };
}

const widths = new Map();
function widthOf({ context, font }, text, size) {
  const key = `${size}${text}`;
  if (!widths.has(key)) {
    context.font = `${size}px ${font}`;
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
    for (const cell of this.cells(label)) if (this.taken[cell]) return false;
    return true;
  }

  take(label) {
    for (const cell of this.cells(label)) this.taken[cell] = 1;
    return label;
  }
}
