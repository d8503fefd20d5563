// Light or dark: as the system says, or as the reader chose; the choice is kept in localStorage.

const KEY = "wordatoms-theme";
const ROOT = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  return ROOT.dataset.theme ? ROOT.dataset.theme === "dark" : system.matches;
}

/** Call back whenever the colours change; returns a function that unsubscribes. */
export function onThemeChange(callback) {
  document.addEventListener("themechange", callback);
  return () => document.removeEventListener("themechange", callback);
}

export function setUpTheme(button) {
  const show = () => {
    const other = isDark() ? "light" : "dark";
    button.textContent = isDark() ? "☀" : "☾";
    button.setAttribute("aria-label", `Switch to ${other} colours`);
    button.title = `Switch to ${other} colours`;
    document.dispatchEvent(new Event("themechange"));
  };
  button.addEventListener("click", () => {
    ROOT.dataset.theme = isDark() ? "light" : "dark";
    keep(ROOT.dataset.theme);
    show();
  });
  system.addEventListener("change", show);
  show();
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // without storage the choice lasts for this visit only
  }
}
