// Draws what the camera sees: a disc for each atom, coloured by its group, and labels where there is room.
// Labels are drawn once and copied from then on, which is several times faster than drawing them each time.

import { svg } from "../dom.js";
import { lettering, sheet } from "../pictures.js";
import { placeLabels } from "./labels.js";
import { Pixels, toPixel } from "./pixels.js";

const HUES = 24;
const GOLDEN = 137.508;
const BIGGEST = 16;
const FADED = 0.2; // what is left of the colour of atoms that were not searched for
const MOST_LETTERINGS = 1500;
const RIM = 3;

/** Colours of overlays, in place of the number of a group. */
export const TONES = { more: -2, less: -3, faint: -4 };

export class Painter {
  constructor(canvas, points) {
    Object.assign(this, { canvas, points, context: canvas.getContext("2d"), letterings: new Map() });
    this.setColours(false);
  }

  setColours(isDark) {
    this.isDark = isDark;
    this.paper = isDark ? "#14171a" : "#fbfaf6";
    this.ink = isDark ? "#e8e6e0" : "#1f2328";
    this.font = getComputedStyle(document.documentElement).getPropertyValue("--sans") || "sans-serif";
    this.letterings.clear();
    this.pixels = new Map();
  }

  resize(width, height, ratio) {
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.discs = new Pixels(this.canvas.width, this.canvas.height, Math.ceil((BIGGEST + 1) * ratio) * 2);
    this.letterings.clear();
  }

  /** The colour of a region or meta-atom; neighbouring numbers get colours far from each other. */
  colour(meta) {
    if (meta === TONES.more) return this.isDark ? "#5ec7b8" : "#0f766e";
    if (meta === TONES.less) return this.isDark ? "#f09a6a" : "#b8501c";
    if (meta === TONES.faint) return this.isDark ? "#3a4046" : "#d4d5d2";
    if (meta < 0) return this.isDark ? "#8a9097" : "#8b8f96";
    const hue = Math.round(((meta * GOLDEN) % 360) / (360 / HUES)) * (360 / HUES);
    const strong = meta % 2;
    return this.isDark
      ? `hsl(${hue} ${strong ? 65 : 50}% ${strong ? 64 : 72}%)`
      : `hsl(${hue} ${strong ? 62 : 48}% ${strong ? 40 : 50}%)`;
  }

  pixel(meta, isFaded) {
    const key = 2 * meta + Number(isFaded);
    if (!this.pixels.has(key)) this.pixels.set(key, toPixel(this.colour(meta), this.paper, isFaded ? FADED : 1));
    return this.pixels.get(key);
  }

  /** `marks`: the chosen and the hovered atom, -1 for none; `found`: a set of atoms, null where none are searched. */
  draw(camera, marks) {
    this.drawDiscs(camera, marks);
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawMarks(camera, marks);
    this.drawLabels(camera, marks);
  }

  radius(atom, camera) {
    return this.points.sizes[atom] * this.growth(camera);
  }

  /** Discs grow more slowly than the plane, so that they part as one zooms in. */
  growth(camera) {
    const crowd = Math.min(1, Math.sqrt(1600 / this.points.length) + 0.25);
    return Math.min(
      crowd * Math.min(1, camera.height / 700 + 0.2) * camera.zoom ** 0.42,
      BIGGEST / this.points.largest,
    );
  }

  drawDiscs(camera, { found }) {
    const { points, discs, ratio } = this;
    const scale = camera.scale * ratio;
    const growth = this.growth(camera) * ratio;
    const left = Math.round(this.canvas.width / 2 - camera.x * scale); // rounded once: all discs move as one
    const top = Math.round(this.canvas.height / 2 + camera.y * scale);
    discs.clear(toPixel(this.paper));
    points.within(camera.bounds(BIGGEST), (atom) => {
      const colour = this.pixel(points.colourOf[atom], found !== null);
      discs.disc(
        left + Math.round(points.x[atom] * scale),
        top - Math.round(points.y[atom] * scale),
        points.sizes[atom] * growth,
        colour,
      );
    });
    discs.show(this.context);
  }

  drawMarks(camera, { chosen, hovered, found }) {
    for (const atom of found ?? []) this.drawRing(camera, atom, 1.5, 1.25);
    if (hovered >= 0) this.drawRing(camera, hovered, 2, 1.3);
    if (chosen >= 0) this.drawRing(camera, chosen, 3, 1.6);
  }

  drawRing(camera, atom, rim, grow) {
    const { context, points } = this;
    const [left, top] = camera.toScreen(points.x[atom], points.y[atom]);
    context.beginPath();
    context.arc(left, top, Math.max(4, this.radius(atom, camera) * grow), 0, 2 * Math.PI);
    context.fillStyle = this.colour(points.colourOf[atom]);
    context.fill();
    context.lineWidth = rim;
    context.strokeStyle = this.ink;
    context.stroke();
  }

  drawLabels(camera, marks) {
    for (const label of placeLabels(this, camera, marks)) {
      const { image, width, height } = this.lettering(label);
      this.context.drawImage(
        image,
        this.whole(label.left - width / 2),
        this.whole(label.top - height / 2),
        width,
        height,
      );
    }
  }

  /** What is seen, as an SVG. */
  drawSvg(camera, marks) {
    const { points } = this;
    const { found, chosen } = marks;
    const discs = [];
    points.within(camera.bounds(BIGGEST), (atom) => {
      const [cx, cy] = camera.toScreen(points.x[atom], points.y[atom]).map(tenths);
      const isMarked = found?.has(atom) || atom === chosen;
      const look = { fill: this.colour(points.colourOf[atom]), "fill-opacity": found && !isMarked ? FADED : 1 };
      const rim = isMarked ? { stroke: this.ink, "stroke-width": 1.5 } : {};
      discs.push(svg("circle", { cx, cy, r: tenths(this.radius(atom, camera)), ...look, ...rim }));
    });
    const labels = placeLabels(this, camera, marks).map(({ text, left, top, size, isStrong }) =>
      lettering(text, {
        x: tenths(left),
        y: tenths(top),
        size,
        fill: this.ink,
        weight: isStrong ? 600 : 400,
        anchor: "middle",
        halo: this.paper,
      }),
    );
    return sheet(Math.round(camera.width), Math.round(camera.height), discs, labels);
  }

  /** At whole pixels of the screen letters are sharp. */
  whole(length) {
    return Math.round(length * this.ratio) / this.ratio;
  }

  /** A picture of a label, with a rim of the colour of the paper. */
  lettering(label) {
    const key = `${label.isStrong}${label.size}${label.text}`;
    if (this.letterings.size > MOST_LETTERINGS) this.letterings.clear();
    if (!this.letterings.has(key)) this.letterings.set(key, makeLettering(label, this));
    return this.letterings.get(key);
  }
}

const tenths = (length) => Math.round(length * 10) / 10;

function makeLettering({ text, size, width, isStrong }, { ratio, font, paper, ink }) {
  const box = { width: width * 1.14 + 2 * RIM + 2, height: size * 1.5 + 2 * RIM };
  const image = new OffscreenCanvas(Math.ceil(box.width * ratio), Math.ceil(box.height * ratio));
  const context = image.getContext("2d");
  context.scale(ratio, ratio);
  Object.assign(context, {
    font: `${isStrong ? 600 : 400} ${size}px ${font}`,
    textBaseline: "middle",
    textAlign: "center",
    lineJoin: "round",
  });
  Object.assign(context, { strokeStyle: paper, lineWidth: RIM, fillStyle: ink });
  context.strokeText(text, box.width / 2, box.height / 2);
  context.fillText(text, box.width / 2, box.height / 2);
  return { image, width: image.width / ratio, height: image.height / ratio };
}
