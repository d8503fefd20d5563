// Buttons that save something as a file, or copy it.

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

const TOLD = 1500; // ms that a button says "Copied"

/** `make` returns the text to copy when the button is pressed. */
export function copyButton(title, make) {
  const button = h("button", { type: "button", class: "plain small", title }, "Copy");
  const tell = (text) => {
    announce(text);
    button.textContent = text;
    setTimeout(() => (button.textContent = "Copy"), TOLD);
  };
  button.addEventListener("click", async () => {
    const text = make();
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    tell(isCopied || copyBySelection(text) ? "Copied" : "Not copied");
  });
  return button;
}

/** For pages without https, where browsers offer no clipboard. */
function copyBySelection(text) {
  const field = h("textarea", { class: "unseen", "aria-hidden": "true" });
  const before = document.activeElement;
  document.body.append(field);
  field.value = text;
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  before?.focus({ preventScroll: true });
  return isCopied;
}

function download(name, blob) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name.replace(/[^\p{L}\p{N}._-]+/gu, "-") }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
