// Which part of the plane is on the screen; y grows upwards in the plane, downwards on the screen.

const ZOOM_OUT = 0.4;
const ZOOM_IN = 60;
const MARGIN = 0.92;

export class Camera {
  /** `extent`: how far atoms lie from the middle to the sides, and up and down. */
  constructor(extent) {
    Object.assign(this, { extent, x: 0, y: 0, zoom: 1, width: 1, height: 1 });
  }

  resize(width, height) {
    Object.assign(this, { width: Math.max(width, 1), height: Math.max(height, 1) });
  }

  /** Pixels per unit of the plane. */
  get scale() {
    return (Math.min(this.width / this.extent.x, this.height / this.extent.y) / 2) * MARGIN * this.zoom;
  }

  /** Show everything in the part of the screen that nothing covers. */
  showAll({ left = 0, right = 0, top = 0, below = 0 }) {
    const { width, height, extent } = this;
    const fit = (across, down) => Math.min(across / extent.x, down / extent.y);
    this.zoom = clamp(fit(width - left - right, height - top - below) / fit(width, height), ZOOM_OUT, 1);
    this.x = (right - left) / 2 / this.scale;
    this.y = (top - below) / 2 / this.scale;
  }

  toScreen(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  toPlane(left, top) {
    return [this.x + (left - this.width / 2) / this.scale, this.y - (top - this.height / 2) / this.scale];
  }

  /** Move by pixels, as a hand moves a sheet of paper. */
  pan(right, down) {
    this.x = clamp(this.x - right / this.scale, -1.2, 1.2);
    this.y = clamp(this.y + down / this.scale, -1.2, 1.2);
  }

  /** Nearer by a factor; what is under the given pixel stays there. */
  zoomBy(factor, left = this.width / 2, top = this.height / 2) {
    const [x, y] = this.toPlane(left, top);
    this.zoom = clamp(this.zoom * factor, ZOOM_OUT, ZOOM_IN);
    const [nowX, nowY] = this.toPlane(left, top);
    this.x += x - nowX;
    this.y += y - nowY;
  }

  /** The corners of what is seen, and a little more. */
  bounds(margin = 8) {
    const [x0, y1] = this.toPlane(-margin, -margin);
    const [x1, y0] = this.toPlane(this.width + margin, this.height + margin);
    return { x0, y0, x1, y1 };
  }
}

const clamp = (value, least, most) => Math.max(least, Math.min(most, value));
