// What is going on: live threads, strongest first, and births and deaths as they happen.
import { bucketCount, strengths } from "../lib/activity.js";
import { get, streamPath } from "../lib/api.js";
import { DAY, decimal, duration, ms, plural, whole } from "../lib/format.js";
import { keyed, useLoad, useSettled, useTitle } from "../lib/hooks.js";
import { html, useEffect, useMemo, useState } from "../lib/html.js";
import { setQuery } from "../lib/route.js";
import { Icon, State, ThreadLink, Time, Words } from "../parts/basic.js";
import { Spark } from "../parts/charts.js";
import { Feed } from "../parts/feed.js";
import { Empty, Failure, Loading } from "../parts/states.js";

const PAGE = 50;
const SPARK_BUCKETS = 40;
const FIRST = "first content";
const SORTS = [
  ["-strength", "Strongest first"],
  ["-last_at", "Latest document first"],
  ["-born_at", "Youngest first"],
  ["born_at", "Oldest first"],
  ["-size", "Largest first"],
];
const STATES = [
  ["live", "Live"],
  ["dormant", "Dormant"],
  ["dead", "Dead"],
  ["merged", "Merged"],
  ["all", "All"],
];
const SIZES = [1, 2, 3, 5, 10, 25, 100];

export function NowView({ stream, query, live }) {
  useTitle("Now", stream);
  const chosen = { state: query.state || "live", sort: query.sort || "-strength", size: query.size || "1", search: query.search || "" };
  const [pages, setPages] = useState(1);
  useEffect(() => setPages(1), [chosen.state, chosen.sort, chosen.size, chosen.search]);
  const filters = [stream, chosen.state, chosen.sort, chosen.size, chosen.search];
  const threads = useLoad((signal) => load(stream, chosen, pages, signal), keyed(filters, pages, live.version));
  return html`<div class="now">
    <h1 class="visually-hidden">Now in ${stream}</h1>
    <${Summary} stats=${live.stats} />
    <div class="now-columns">
      <section class="threads-column" aria-label="Threads">
        <${Filters} chosen=${chosen} />
        ${threads.error && threads.data && html`<p class="stale" role="status">Shown as of a moment ago: ${threads.error.title.toLowerCase()}.</p>`}
        ${threads.data
          ? html`<${List} stream=${stream} threads=${threads.data} chosen=${chosen} stats=${live.stats} onMore=${() => setPages(pages + 1)} />`
          : threads.error
            ? html`<${Failure} error=${threads.error} retry=${threads.reload} />`
            : html`<${Loading} what="Loading threads" rows=${10} />`}
      </section>
      <${Feed} stream=${stream} live=${live} />
    </div>
  </div>`;
}

function Summary({ stats }) {
  const shown = [
    ["Live threads", stats && whole(stats.threads_live), stats && `${plural(stats.window.documents, "document")} in the window`],
    ["Documents", stats && whole(stats.accepted), "accepted so far"],
    ["Waiting", stats && whole(stats.pending), stats?.pending ? `oldest since ${duration(1000 * stats.lag_seconds)}` : "all are in a thread"],
    ["Half-life", stats && (stats.half_life_seconds ? duration(1000 * stats.half_life_seconds) : "none"), "in which a document's pull halves"],
    ["Clock", stats && (stats.clock ? html`<span class="summary-time"><${Time} at=${stats.clock} /></span>` : "–"), "time of the newest document"],
  ];
  return html`<dl class="summary">${shown.map(
    ([name, value, hint]) => html`<div><dt>${name}</dt><dd>${value || "…"}</dd>${hint && html`<p>${hint}</p>`}</div>`,
  )}</dl>`;
}

function Filters({ chosen }) {
  const [typed, setTyped] = useState(chosen.search);
  const settled = useSettled(typed);
  useEffect(() => {
    if (settled.trim() !== chosen.search) setQuery({ search: settled.trim() });
  }, [settled]);
  useEffect(() => setTyped(chosen.search), [chosen.search]);
  return html`<form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
    <label class="search"><${Icon} name="search" /><span class="visually-hidden">Search labels, titles and words</span>
      <input type="search" placeholder="Search threads" maxlength="200" value=${typed} onInput=${(event) => setTyped(event.target.value)} />
    </label>
    <${Select} label="State" value=${chosen.state} options=${STATES} onChange=${(state) => setQuery({ state: state === "live" ? "" : state })} />
    <${Select} label="Least size" value=${chosen.size} options=${SIZES.map((size) => [String(size), size === 1 ? "Any size" : `${size} or more`])}
      onChange=${(size) => setQuery({ size: size === "1" ? "" : size })} />
    <${Select} label="Order" value=${chosen.sort} options=${SORTS} onChange=${(sort) => setQuery({ sort: sort === "-strength" ? "" : sort })} />
  </form>`;
}

function Select({ label, value, options, onChange }) {
  return html`<label class="select"><span class="visually-hidden">${label}</span>
    <select value=${value} onChange=${(event) => onChange(event.target.value)}>
      ${options.map(([key, name]) => html`<option value=${key} selected=${key === value}>${name}</option>`)}
    </select>
  </label>`;
}

/** Threads of the page; the first time they show is marked for those who measure. */
function List({ stream, threads, chosen, stats, onMore }) {
  const { rows, more } = threads;
  const sparks = useLoad((signal) => loadSparks(stream, rows, signal), keyed([stream], rows)).data;
  const strongest = useMemo(() => Math.max(...rows.map((row) => row.strength), 1e-9), [rows]);
  useEffect(() => {
    if (rows.length && !performance.getEntriesByName(FIRST).length) performance.mark(FIRST);
  }, [rows]);
  if (!rows.length) return html`<${Nothing} chosen=${chosen} stats=${stats} />`;
  return html`<ol class="thread-list">
      <li class="thread-head" aria-hidden="true"><span>Thread</span><span>Last 30 days</span><span>Strength</span><span>Documents</span><span>Age</span><span>Last document</span></li>
      ${rows.map((row) => html`<${Row} key=${row.id} stream=${stream} row=${row} spark=${sparks?.get(row.id)} strongest=${strongest} />`)}
    </ol>
    ${more && html`<p class="more"><button type="button" onClick=${onMore}>Show more</button></p>`}`;
}

function Row({ stream, row, spark, strongest }) {
  const end = ms(row.died_at) || (row.state === "live" ? ms(row.as_of) : ms(row.last_at));
  return html`<li class="thread-row">
    <div class="thread-name"><${ThreadLink} stream=${stream} id=${row.id} label=${row.label} />
      ${row.state !== "live" && html`<${State} state=${row.state} />`}<${Words} words=${row.top_words} without=${row.label} /></div>
    <div class="thread-spark">${spark && html`<${Spark} values=${spark} label=${`Activity of the last 30 days`} />`}</div>
    <div class="cell" data-name="strength"><span class="meter" aria-hidden="true"><span style=${{ width: `${100 * Math.sqrt(Math.max(0, row.strength) / strongest)}%` }}></span></span>${decimal(row.strength)}</div>
    <div class="cell" data-name=${row.size === 1 ? "document" : "documents"}>${whole(row.size)}</div>
    <div class="cell" data-name="old">${duration(Math.max(0, end - ms(row.born_at)))}</div>
    <div class="cell last" data-name=""><${Time} at=${row.last_at} relative /></div>
  </li>`;
}

function Nothing({ chosen, stats }) {
  if (stats?.pending) {
    return html`<${Empty} title=${`${plural(stats.pending, "document")} on the way into threads`}>
      <p>The worker places them in a moment. On the very first start it compiles its kernels for about half a minute.</p><//>`;
  }
  if (chosen.search || chosen.size !== "1") {
    return html`<${Empty} title="No thread passes these filters">
      <p><button type="button" onClick=${() => setQuery({ search: "", size: "", state: "" })}>Clear the filters</button></p><//>`;
  }
  if (chosen.state === "live" && stats?.accepted) {
    return html`<${Empty} title="No thread is alive"><p>All have died since. <button type="button" onClick=${() => setQuery({ state: "all", sort: "-last_at" })}>Show them</button></p><//>`;
  }
  return html`<${Empty} title=${chosen.state === "live" || chosen.state === "all" ? "No threads yet" : `No thread is ${chosen.state}`} />`;
}

/** The first pages of threads, with spark lines of what is shown. */
async function load(stream, chosen, pages, signal) {
  const where = streamPath(stream, "threads");
  const filters = { state: chosen.state === "all" ? "" : chosen.state, sort: chosen.sort, search: chosen.search, least_size: chosen.size === "1" ? "" : chosen.size };
  const rows = [];
  let more = true;
  for (let cursor = null, page = 0; more && page < pages; page += 1) {
    const found = await get(where, { ...filters, limit: PAGE, cursor }, signal);
    rows.push(...found.data);
    [more, cursor] = [found.has_more, found.next_cursor];
  }
  return { rows, more };
}

async function loadSparks(stream, rows, signal) {
  const sparks = new Map();
  const clock = rows[0]?.as_of;
  if (!clock) return sparks;
  const span = { from: new Date(ms(clock) - 30 * DAY).toISOString(), to: new Date(ms(clock) + 1000).toISOString() };
  for (let start = 0; start < rows.length; start += 200) {
    const ids = rows.slice(start, start + 200).map((row) => row.id).join(",");
    const found = await get(streamPath(stream, "timeline"), { ...span, ids, buckets: SPARK_BUCKETS, limit: 200 }, signal);
    const n = bucketCount(found);
    found.threads.forEach((bar) => sparks.set(bar.id, strengths(bar, n, found.bucket_seconds, found.half_life_seconds)));
  }
  return sparks;
}
