// Drawings as files: SVG, and PNG made of it.

import { h, svg } from "./dom.js";
import { saveButton } from "./saving.js";

const SCALE = 2; // pixels of a PNG per unit of the drawing
const FONTS = {
  serif: "Palatino, Georgia, 'Liberation Serif', serif",
  sans: "Helvetica, 'Liberation Sans', sans-serif",
};

/** Two buttons; `makeSvg` returns an SVG element with a width, a height and all its colours. */
export function pictureButtons(name, makeSvg) {
  const make = () => toBlob(makeSvg());
  return [
    saveButton("SVG", "Download this picture as SVG", `${name}.svg`, make),
    saveButton("PNG", "Download this picture as PNG", `${name}.png`, async () => toPng(makeSvg())),
  ];
}

function toBlob(picture) {
  return new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
}

async function toPng(picture) {
  const [width, height] = ["width", "height"].map((name) => Number(picture.getAttribute(name)));
  const address = URL.createObjectURL(toBlob(picture));
  try {
    const image = h("img", { src: address });
    await image.decode();
    const canvas = h("canvas", { width: width * SCALE, height: height * SCALE });
    canvas.getContext("2d").drawImage(image, 0, 0, width * SCALE, height * SCALE);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** An SVG of this size on the paper of the page. */
export function sheet(width, height, ...content) {
  const paper = svg("rect", { width, height, fill: colourOf("--paper") });
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, paper, content);
}

/** A line of text; `font` is serif or sans. */
export function lettering(text, { x, y, size, fill, font = "sans", weight = 400, anchor = "start", halo }) {
  const rim = halo ? { stroke: halo, "stroke-width": 3, "paint-order": "stroke", "stroke-linejoin": "round" } : {};
  const look = { "font-family": FONTS[font], "font-size": size, "font-weight": weight, "text-anchor": anchor };
  return svg("text", { x, y, fill, "dominant-baseline": "middle", ...look, ...rim }, text);
}

/** The value of a colour of the style sheet in the present theme. */
export function colourOf(name) {
  const probe = h("span", { hidden: true, style: { color: name.startsWith("--") ? `var(${name})` : name } });
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
