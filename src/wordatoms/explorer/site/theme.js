// Light or dark: what the system says, until the reader says otherwise; the choice is kept in localStorage.

const KEY = "wordatoms-theme";
const ROOT = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  return ROOT.dataset.theme ? ROOT.dataset.theme === "dark" : system.matches;
}

/** Call back whenever the colours change; returns how to stop. */
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
    // then it holds for this visit only
  }
}
