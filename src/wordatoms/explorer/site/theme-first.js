// Applies the theme chosen last time before the page is painted, so that nothing flashes. See theme.js.
try {
  const chosen = localStorage.getItem("wordatoms-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // without storage the system decides
}
