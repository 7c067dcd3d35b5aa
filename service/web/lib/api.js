// Requests to the service this page came from, with the key if one is needed.
const KEY = "threadline.key";
const NETWORK = { status: 0, code: "unreachable", title: "The service does not answer" };

/** Why a request was not served: a problem of the service, or that it could not be reached. */
export class Refusal extends Error {
  constructor(problem) {
    super(problem.detail || problem.title);
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title;
    this.errors = problem.errors || [];
    this.retryAfter = problem.retryAfter;
  }
}

let key = null;
try {
  key = sessionStorage.getItem(KEY);
} catch {
  // Storage may be forbidden; then the key lasts until the page is closed.
}
const asking = new Set(); // who wants to know that a key is needed

export const hasKey = () => key !== null;
export const onKeyNeeded = (listener) => (asking.add(listener), () => asking.delete(listener));

export function setKey(secret) {
  key = secret;
  try {
    if (secret === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, secret);
  } catch {
    // As above.
  }
}

/** A path below /v1 with each part encoded. */
export const path = (...parts) => `v1/${parts.map(encodeURIComponent).join("/")}`;
export const streamPath = (stream, ...parts) => path("streams", stream, ...parts);

/** The response to a request; throws a Refusal unless it was served. */
export async function request(where, { query, headers, ...options } = {}) {
  let response;
  try {
    response = await fetch(where + text(query), { ...options, headers: { ...headers, ...authorization() } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal({ ...NETWORK, detail: "It may be restarting, or the network is down." });
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({ title: response.statusText, code: "unknown" }));
  if (response.status === 401) asking.forEach((listener) => listener(hasKey()));
  throw new Refusal({ ...problem, status: response.status, retryAfter: Number(response.headers.get("Retry-After")) || 0 });
}

/** The JSON of an answer. */
export async function get(where, query, signal) {
  return (await request(where, { query, signal })).json();
}

/** The JSON of an answer to a body. */
export async function post(where, body, type = "application/json") {
  const content = typeof body === "string" ? body : JSON.stringify(body);
  return (await request(where, { method: "POST", body: content, headers: { "Content-Type": type } })).json();
}

/** Threads by id: label, state and so on of those that exist. */
export async function threadsByIds(stream, ids, signal) {
  const wanted = [...new Set(ids.filter(Boolean))];
  const found = new Map();
  for (let start = 0; start < wanted.length; start += 100) {
    const some = wanted.slice(start, start + 100);
    const page = await get(streamPath(stream, "threads"), { ids: some.join(","), limit: some.length }, signal);
    page.data.forEach((thread) => found.set(thread.id, thread));
  }
  return found;
}

function authorization() {
  return key === null ? {} : { Authorization: `Bearer ${key}` };
}

function text(query) {
  const given = Object.entries(query || {}).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
}
