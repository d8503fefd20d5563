// A collection of documents: topics by size, trend and group, passages, single documents, search.
//
//   #/documents?level=meta&sort=change&group=1    the topics
//   #/documents/topic/meta/3                      one of them, by its place in the list
//   #/documents/document/17?level=meta            a document
//   #/documents/search?q=river&group=1&first=20   documents with these words

import { documentPage } from "../documents/document.js";
import { overviewPage } from "../documents/overview.js";
import { searchPage } from "../documents/search.js";
import { topicPage } from "../documents/topic.js";
import { h } from "../dom.js";
import { fillWhenReady } from "../parts/states.js";

const PAGES = { topic: topicPage, document: documentPage, search: searchPage };

export function open(route, { setTitle }) {
  const place = h("div", { class: "page documents" });
  const update = ({ args: [kind, ...rest], query }) => {
    setTitle("Documents");
    const makePage = PAGES[kind] ?? overviewPage;
    fillWhenReady(place, () => makePage(rest, query, setTitle));
    return true;
  };
  update(route);
  return { element: place, update };
}
