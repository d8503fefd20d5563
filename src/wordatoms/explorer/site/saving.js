// Buttons that save something as a file.

import { announce, h } from "./dom.js";

/** `make` returns the blob to save, or a promise of it, when the button is pressed. */
export function saveButton(label, title, name, make) {
  const save = async () => {
    try {
      download(name, await make());
    } catch (error) {
      announce("This could not be saved.");
      console.warn(error);
    }
  };
  return h("button", { type: "button", class: "plain small", onclick: save, title }, `↓ ${label}`);
}

function download(name, blob) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name.replace(/[^\p{L}\p{N}._-]+/gu, "-") }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
