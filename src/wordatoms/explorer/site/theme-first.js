// Before the page is painted: the theme that the reader chose last time, so that nothing flashes. See theme.js.
try {
  const chosen = localStorage.getItem("wordatoms-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // storage may be forbidden; then the system decides
}
