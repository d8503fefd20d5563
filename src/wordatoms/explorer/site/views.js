// The views of the page. To add one, write views/NAME.js and add a line here.
//
// A view module exports open(route, context), which returns {element, update(route), close()}; update and close are
// optional, and update returns false if the view has to be opened again.
//
//   name    the first part of the address (#/NAME) and the module in views/
//   title   its entry in the navigation; without one it is not listed
//   needs   what the explorer must have for it (see `features` in service.py); "server" if an export cannot show it
//   under   the view whose entry is marked as the current one
//   card    title and text of its card on the start page

export const VIEWS = [
  { name: "start" },
  { name: "word", title: "Word" },
  { name: "sentence", title: "Sentence", needs: "contexts" },
  { name: "map", title: "Map", card: ["The map", "All atoms of discourse in the plane: pan, zoom, search."] },
  { name: "atoms", under: "map" },
  { name: "atom", under: "map" },
  { name: "meta", under: "map" },
  { name: "pick", under: "word" },
  {
    name: "lineup",
    title: "Lineup",
    needs: "words",
    card: ["The lineup", "Find the senses of a word among twenty. The machine plays too."],
  },
  {
    name: "compare",
    title: "Compare",
    needs: "comparison",
    card: ["Compare", "One word in two models: your own text and another."],
  },
  {
    name: "documents",
    title: "Documents",
    needs: "documents",
    card: ["Documents", "A collection by topic: by group, over time, with passages and search."],
  },
  {
    name: "contextual",
    title: "Encoder",
    needs: "contextual",
    card: ["Inside a transformer", "Atoms of contextual vectors beside the atoms of discourse."],
  },
  {
    name: "report",
    title: "Report",
    needs: "report",
    card: ["The report", "Every table and figure of the paper, reproduced."],
  },
  { name: "about", title: "About" },
];

/** The views that this model and this server can show. */
export const availableViews = ({ features }) => VIEWS.filter(({ needs }) => !needs || features.includes(needs));

export const findView = (name) => VIEWS.find((view) => view.name === name) ?? VIEWS[0];
