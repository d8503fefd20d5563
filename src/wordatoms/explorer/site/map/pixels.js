// Discs straight into pixels: ten thousand take a few milliseconds, where paths or pictures on a canvas take a hundred.

const STEPS = 4; // radii are told apart by quarters of a pixel

export class Pixels {
  /** Discs may lie as far beyond the edges as `margin` has room for, so that none needs clipping. */
  constructor(width, height, margin) {
    Object.assign(this, { margin, width: width + 2 * margin, height: height + 2 * margin, stamps: new Map() });
    this.image = new ImageData(this.width, this.height);
    this.cells = new Uint32Array(this.image.data.buffer);
  }

  clear(colour) {
    this.cells.fill(colour);
  }

  /** The middle in whole pixels of the screen; nothing is drawn where it lies too far outside. */
  disc(left, top, radius, colour) {
    const { cells, margin, width, height } = this;
    const x = left + margin;
    const y = top + margin;
    const { offsets, coverage, reach } = this.stamp(radius);
    if (x < reach || y < reach || x >= width - reach || y >= height - reach) return;
    const middle = y * width + x;
    for (let k = 0; k < offsets.length; k++) {
      const cell = middle + offsets[k];
      cells[cell] = coverage[k] === 255 ? colour : blend(colour, cells[cell], coverage[k]);
    }
  }

  /** The pixels of a disc, relative to its middle, and how far each is covered. */
  stamp(radius) {
    const step = Math.max(STEPS, Math.round(radius * STEPS));
    if (!this.stamps.has(step)) this.stamps.set(step, makeStamp(step / STEPS, this.width));
    return this.stamps.get(step);
  }

  show(context) {
    context.putImageData(this.image, -this.margin, -this.margin);
  }
}

function makeStamp(radius, width) {
  const reach = Math.ceil(radius + 0.5);
  const offsets = [];
  const coverage = [];
  for (let y = -reach; y <= reach; y++) {
    for (let x = -reach; x <= reach; x++) {
      const covered = Math.round(255 * Math.max(0, Math.min(1, radius + 0.5 - Math.hypot(x, y))));
      if (!covered) continue;
      offsets.push(y * width + x);
      coverage.push(covered);
    }
  }
  return { offsets: Int32Array.from(offsets), coverage: Uint8Array.from(coverage), reach };
}

function blend(over, under, share) {
  const rest = 255 - share;
  const red = ((over & 255) * share + (under & 255) * rest) / 255;
  const green = (((over >> 8) & 255) * share + ((under >> 8) & 255) * rest) / 255;
  const blue = (((over >> 16) & 255) * share + ((under >> 16) & 255) * rest) / 255;
  return pack(red, green, blue);
}

/** A colour as it lies in memory (every machine that runs a browser is little-endian). */
function pack(red, green, blue) {
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

/** hsl(…) or #rrggbb, mixed with another colour where `share` is below 1. */
export function toPixel(colour, paper = colour, share = 1) {
  const [over, under] = [channels(colour), channels(paper)];
  return pack(...over.map((value, k) => Math.round(value * share + under[k] * (1 - share))));
}

function channels(colour) {
  if (colour.startsWith("#")) return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
  const [hue, saturation, lightness] = colour.match(/[\d.]+/g).map(Number);
  const spread = (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100);
  const channel = (n) => {
    const k = (n + hue / 30) % 12;
    return 255 * (lightness / 100 - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return [channel(0), channel(8), channel(4)];
}
