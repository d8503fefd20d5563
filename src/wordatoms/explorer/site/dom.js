// Elements from plain values. Data only ever becomes text nodes and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element: h("a", {class: "chip", href, onclick, style: {"--share": 0.4}}, "text", child, …). */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same for SVG elements. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) setProp(element, name, value);
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

function setProp(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "style") setStyles(element, value);
  else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else element.setAttribute(name, value === true ? "" : value);
}

function setStyles(element, styles) {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value);
}

/** Replace the children of an element. */
export function put(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

/** Tell screen readers something. */
export function announce(text) {
  document.getElementById("announcements").textContent = text;
}

let lastId = 0;
export const freshId = (prefix) => `${prefix}-${++lastId}`;
