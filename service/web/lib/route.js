// Every view and filter has an address: #/stream/view/id?filter=value. The part after # never leaves the browser.
import { useEffect, useState } from "./html.js";

export const VIEWS = ["now", "timeline", "lifespans", "try", "stream", "threads", "documents"];

/** The view that an address names. */
export function parse(hash) {
  const [place, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [stream, view = "now", id] = place.split("/").map(decoded);
  return { stream: stream || null, view, id: id || null, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a view. */
export function link(stream, view = "now", id = null, query = {}) {
  const place = [stream, view, id].filter((part) => part !== null).map(encodeURIComponent).join("/");
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return `#/${place}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
}

export const go = (address) => (location.hash = address);

/** Change filters of the view in place; the back button does not step through every key stroke. */
export function setQuery(patch) {
  const { stream, view, id, query } = parse(location.hash);
  history.replaceState(null, "", link(stream, view, id, { ...query, ...patch }));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** The current route; renders again when it changes. */
export function useRoute() {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parse(location.hash));
    addEventListener("hashchange", changed);
    changed(); // the address may have changed before anybody listened
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
