// The map itself: camera, points, painter and hands put together on one canvas.

import { h } from "../dom.js";
import { isDark, onThemeChange } from "../theme.js";
import { Camera } from "./camera.js";
import { listenToHands } from "./gestures.js";
import { Painter } from "./painter.js";

const REACH = 14; // pixels within which a click finds an atom
const GLIDE = 420; // ms of flight to an atom
const CLOSE_UP = 6;

export class Chart {
  /**
   * `choose(atom)` is called with the atom that was clicked, -1 for none; `covered()` says how much of the map is
   * covered at each side.
   */
  constructor(points, { choose, describe, covered }) {
    this.canvas = h("canvas", {
      class: "chart",
      tabindex: 0,
      role: "application",
      "aria-label":
        "Map of the atoms; the same is there as a list. Arrow keys move it, + and − zoom, 0 shows all, " +
        "Enter chooses the atom in the middle.",
    });
    Object.assign(this, {
      points,
      choose,
      describe,
      covered,
      isOverview: true,
      camera: new Camera(points.extent),
      painter: new Painter(this.canvas, points),
    });
    this.marks = { chosen: -1, hovered: -1, found: null, names: null };
    listenToHands(this.canvas, this.hands());
    this.stopListening = onThemeChange(() => this.recolour());
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.canvas);
  }

  close() {
    this.observer.disconnect();
    this.stopListening();
    cancelAnimationFrame(this.frame);
  }

  hands() {
    return {
      pan: (right, down) => this.move(() => this.camera.pan(right, down)),
      zoom: (factor, left, top) => this.move(() => this.camera.zoomBy(factor, left, top)),
      reset: () => this.showAll(),
      click: (left = this.camera.width / 2, top = this.camera.height / 2) =>
        this.choose(this.atomAt(left, top, left === this.camera.width / 2 ? 80 : REACH)),
      hover: (left, top) => this.hover(this.atomAt(left, top)),
      leave: () => this.hover(-1),
      dismiss: () => this.choose(-1),
    };
  }

  atomAt(left, top, reach = REACH) {
    return this.points.nearest(...this.camera.toPlane(left, top), reach / this.camera.scale);
  }

  hover(atom) {
    if (atom === this.marks.hovered) return;
    this.marks.hovered = atom;
    this.canvas.style.cursor = atom >= 0 ? "pointer" : "";
    this.describe(atom);
    this.redraw();
  }

  /** Lay an overlay over the map, or take it away: null. */
  lay(overlay) {
    if (overlay === this.points.overlay) return;
    this.points.lay(overlay);
    this.redraw();
  }

  mark(changes) {
    Object.assign(this.marks, changes);
    this.redraw();
  }

  move(change) {
    this.flight = null;
    this.isOverview = false;
    change();
    this.redraw();
  }

  showAll() {
    this.move(() => this.camera.showAll(this.covered()));
    this.isOverview = true;
  }

  recolour() {
    this.painter.setColours(isDark());
    this.redraw();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.camera.resize(width, height);
    this.painter.resize(width, height, devicePixelRatio || 1);
    this.painter.setColours(isDark());
    if (this.isOverview) this.camera.showAll(this.covered());
    this.draw(); // at once: a resized canvas is blank
  }

  /** Glide to an atom, close enough to read what is around it; it comes to rest where nothing covers it. */
  flyTo(atom) {
    if (!this.painter.ratio) this.fit(); // an address that leads straight to an atom
    const { left = 0, right = 0, top = 0, below = 0 } = this.covered();
    this.isOverview = false;
    const { camera, points } = this;
    const from = { x: camera.x, y: camera.y, zoom: camera.zoom };
    const zoom = Math.max(camera.zoom, CLOSE_UP);
    const scale = (camera.scale / camera.zoom) * zoom;
    const to = {
      x: points.x[atom] + (right - left) / 2 / scale,
      y: points.y[atom] + (top - below) / 2 / scale,
      zoom,
    };
    const hasMotion = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.flight = { from, to, start: performance.now(), lasts: hasMotion ? GLIDE : 0 };
    this.redraw();
  }

  step(now) {
    const { from, to, start, lasts } = this.flight;
    const time = lasts ? Math.min(1, Math.max(0, (now - start) / lasts)) : 1;
    const eased = time * time * (3 - 2 * time);
    const between = (name) => from[name] + (to[name] - from[name]) * eased;
    Object.assign(this.camera, { x: between("x"), y: between("y"), zoom: from.zoom * (to.zoom / from.zoom) ** eased });
    if (time >= 1) this.flight = null;
    else this.redraw();
  }

  /** Draw with the next frame, once, however often it is asked for. */
  redraw() {
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = undefined;
      if (this.flight) this.step(now);
      this.draw();
    });
  }

  /** What is seen, as an SVG. */
  drawSvg() {
    return this.painter.drawSvg(this.camera, { ...this.marks, covered: this.covered() });
  }

  draw() {
    if (!this.painter.ratio) return; // not on the page yet; it will be fitted there
    this.painter.draw(this.camera, { ...this.marks, covered: this.covered() });
  }
}
