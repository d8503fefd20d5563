// Addresses. Every view has a hash that works on any web server and can be shared: #/word/tie?forms=1.

/** {view, args, query} of a hash. */
export function parseAddress(hash) {
  const [path, query = ""] = split(hash.replace(/^#\/?/, ""));
  const [view, ...args] = path.split("/").map(decode);
  return { view: view || "start", args, query: Object.fromEntries(new URLSearchParams(query)) };
}

function split(address) {
  const mark = address.indexOf("?");
  return mark < 0 ? [address] : [address.slice(0, mark), address.slice(mark + 1)];
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a lone %
  }
}

/** addressOf("word", "tie", {forms: 1}) is #/word/tie?forms=1; empty parameters are left out. */
export function addressOf(view, ...rest) {
  const query = typeof rest.at(-1) === "object" ? rest.pop() : {};
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const path = [view, ...rest].map((part) => encodeURIComponent(part)).join("/");
  return `#/${path}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
}

export function goTo(address, { replace = false } = {}) {
  if (!replace) location.hash = address;
  else {
    history.replaceState(history.state, "", address); // the same entry, at the same place
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
}
