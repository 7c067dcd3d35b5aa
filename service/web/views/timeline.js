// The timeline: lives of threads as bars, and below them the share of each over time.
import { get, streamPath } from "../lib/api.js";
import { DAY, decimal, duration, exact, HOUR, local, ms, plural, whole, YEAR } from "../lib/format.js";
import { useLoad, useSettled, useTitle } from "../lib/hooks.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { go, link, setQuery } from "../lib/route.js";
import { colours } from "../lib/theme.js";
import { Choice, Icon, State, ThreadLink, Time } from "../parts/basic.js";
import { Empty, Failure, Loading } from "../parts/states.js";
import { prepare } from "../timeline/bars.js";
import { TimelineChart } from "../timeline/chart.js";
import { shadesOf } from "../timeline/draw.js";

const MOST = 5000; // threads
const BUCKETS = 240;
const FRESH_MS = 3000; // after a change of the model
const LISTED = 40; // threads in the table
const PRESETS = [
  ["Hour", HOUR],
  ["Day", DAY],
  ["Week", 7 * DAY],
  ["Month", 30 * DAY],
  ["Year", YEAR],
  ["10 years", 10 * YEAR],
];
const TONES = ["tone-1", "tone-2", "tone-3", "tone-4", "tone-5", "tone-6", "tone-7", "tone-8", "tone-9", "tone-10", "tone-11", "tone-12"];

export function TimelineView({ stream, query, live, dark }) {
  useTitle("Timeline", stream);
  const least = query.size || "1";
  const search = query.search || "";
  const mode = query.mode || "share";
  const filters = { least_size: least === "1" ? "" : least, search };
  const everything = useLoad(async (signal) => prepare(await read(stream, filters, {}, signal)), [stream, least, search]);
  const chart = useChart({ stream, query, dark, mode, filters, data: everything.data });
  const fresh = useRef(0);
  useEffect(() => {
    // The model went on: read again, but not more often than every few seconds.
    if (!everything.data || fresh.current === live.version) return undefined;
    const timer = setTimeout(() => {
      fresh.current = live.version;
      everything.reload();
    }, FRESH_MS);
    return () => clearTimeout(timer);
  }, [live.version, everything.data]);
  const { model } = chart;
  return html`<div class="timeline">
    <h1 class="visually-hidden">Timeline of ${stream}</h1>
    <${Controls} least=${least} search=${search} mode=${mode} chart=${chart} />
    ${everything.error && !everything.data && html`<${Failure} error=${everything.error} retry=${everything.reload} />`}
    ${!everything.data && !everything.error && html`<${Loading} what="Loading the timeline" rows=${8} />`}
    ${everything.data && !everything.data.bars.length && html`<${Empty} title=${search || least !== "1" ? "No thread passes these filters" : "No threads yet"}>
      ${(search || least !== "1") && html`<p><button type="button" onClick=${() => setQuery({ search: "", size: "" })}>Clear the filters</button></p>`}<//>`}
    <div class="timeline-chart" hidden=${!everything.data?.bars.length}>
      <div class="timeline-canvas" ref=${chart.root} tabindex="0" role="application"
        aria-label="Timeline of threads. Left and right move in time, plus and minus zoom, up and down choose a thread, Enter opens it, Home shows all.">
        <canvas class="bars-canvas" ref=${chart.bars}></canvas>
        <canvas class="graph-canvas" ref=${chart.graph}></canvas>
        ${chart.hover && html`<${Tip} hover=${chart.hover} model=${model} width=${chart.root.current?.clientWidth || 0} />`}
      </div>
      <p class="visually-hidden" aria-live="polite">${chart.hover ? `${chart.hover.bar.label}, ${plural(chart.hover.bar.size, "document")}, born ${local(chart.hover.bar.born_at)}` : ""}</p>
      <p class="timeline-foot note">
        <span>${chart.range && html`<${Range} range=${chart.range} />`}</span>
        <span>${model && html`${plural(chart.inView.length, "thread")} in view${chart.hiddenBars ? `, ${whole(chart.hiddenBars)} smaller ones not drawn: zoom in` : ""}${model.total > MOST ? `; the largest ${whole(MOST)} of ${whole(model.total)}` : ""}`}</span>
      </p>
      <${Table} stream=${stream} bars=${chart.inView} />
    </div>
  </div>`;
}

function Controls({ least, search, mode, chart }) {
  const [typed, setTyped] = useState(search);
  const settled = useSettled(typed);
  useEffect(() => {
    if (settled.trim() !== search) setQuery({ search: settled.trim() });
  }, [settled]);
  return html`<form class="filters" onSubmit=${(event) => event.preventDefault()}>
    <label class="search"><${Icon} name="search" /><span class="visually-hidden">Search threads</span>
      <input type="search" placeholder="Search threads" maxlength="200" value=${typed} onInput=${(event) => setTyped(event.target.value)} /></label>
    <label class="select"><span class="visually-hidden">Least size</span>
      <select value=${least} onChange=${(event) => setQuery({ size: event.target.value === "1" ? "" : event.target.value })}>
        ${["1", "2", "3", "5", "10", "25", "100"].map((size) => html`<option value=${size} selected=${size === least}>${size === "1" ? "Any size" : `${size} or more`}</option>`)}
      </select></label>
    <div class="choice" role="group" aria-label="Span">
      ${PRESETS.map(([name, span]) => html`<button type="button" onClick=${() => chart.span(span)}>${name}</button>`)}
      <button type="button" onClick=${() => chart.all()}>All</button>
    </div>
    <${Choice} label="Stream graph shows" value=${mode} options=${[["share", "Share"], ["weight", "Weight"]]} onChange=${(value) => setQuery({ mode: value === "share" ? "" : value })} />
  </form>`;
}

/** The chart as state of the view: refs for its elements, what is under the pointer, what is in view. */
function useChart({ stream, query, dark, mode, filters, data }) {
  const [root, bars, graph] = [useRef(null), useRef(null), useRef(null)];
  const chart = useRef(null);
  const [hover, setHover] = useState(null);
  const [range, setRange] = useState(null);
  const [detail, setDetail] = useState(null);
  const model = detail || data;

  useEffect(() => {
    const made = new TimelineChart(root.current, bars.current, graph.current, {
      onHover: (bar, point) => setHover(bar ? { bar, ...point } : null),
      onOpen: (bar) => go(link(stream, "threads", bar.id)),
      onRange: (from, to, hidden) => setRange({ from, to, hidden }),
    });
    if (query.from && query.to && ms(query.to) > ms(query.from)) made.wanted = [ms(query.from), ms(query.to)];
    chart.current = made;
    return () => made.destroy();
  }, [stream]);
  useEffect(() => {
    setDetail(null);
    if (!data?.bars.length) return;
    const margin = (data.end - data.start) * 0.03;
    chart.current.setModels(data, null);
    chart.current.setReach(data.start - margin, data.end + margin);
  }, [data]);
  useEffect(() => {
    if (data?.bars.length) chart.current.setModels(data, detail);
  }, [detail]);
  useEffect(() => chart.current?.setTheme(themeOf(root.current)), [dark, data]);
  useEffect(() => chart.current?.setMode(mode), [mode]);
  useDetail(stream, filters, data, range, setDetail);
  useEffect(() => {
    if (!range || !chart.current.home) return;
    const [start, end] = chart.current.home;
    const all = Math.abs(range.from - start) + Math.abs(range.to - end) < (end - start) / 1000;
    setQuery(all ? { from: "", to: "" } : { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() });
  }, [range]);

  const span = (width) => {
    const [from, to] = chart.current.range;
    const clock = data.end;
    const centre = from <= clock && clock <= to ? clock - width / 2 + width * 0.04 : (from + to) / 2;
    chart.current.show(centre - width / 2, centre + width / 2, true);
  };
  const inView = (range && chart.current?.shown) || [];
  return { root, bars, graph, hover, range, model, inView, hiddenBars: range?.hidden || 0, span, all: () => chart.current.show(...chart.current.home, true) };
}

/** Where one has zoomed in so far that the buckets of the whole are too wide, read that part again in finer ones. */
function useDetail(stream, filters, data, range, setDetail) {
  const loaded = useRef(null);
  useEffect(() => {
    loaded.current = null;
  }, [data]);
  useEffect(() => {
    if (!data || !range) return undefined;
    const span = range.to - range.from;
    const wide = span / data.width >= BUCKETS / 3;
    const enough = loaded.current && loaded.current.from <= range.from && loaded.current.to >= range.to && (loaded.current.to - loaded.current.from) / span < 6;
    if (wide && loaded.current) {
      loaded.current = null;
      setDetail(null);
    }
    if (wide || enough) return undefined;
    const control = new AbortController();
    const part = { from: range.from - span / 2, to: range.to + span / 2 };
    read(stream, filters, { from: new Date(part.from).toISOString(), to: new Date(part.to).toISOString() }, control.signal).then(
      (found) => {
        loaded.current = part;
        setDetail(prepare(found, data));
      },
      () => {}, // the coarse view stays
    );
    return () => control.abort();
  }, [range]);
}

function Tip({ hover, model, width }) {
  const { bar, x, y, at } = hover;
  const bucket = Math.floor((at - model.start) / model.width);
  const here = at >= bar.start && at <= bar.end ? bar.weights[bucket] : null;
  const place = { top: `${y + 14}px`, ...(x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` }) };
  return html`<div class="tip timeline-tip" style=${place}>
    <strong dir="auto">${bar.label || bar.id}</strong>
    <span><${State} state=${bar.state} /> ${plural(bar.size, "document")}${here ? `, strength ${decimal(here)} here` : ""}</span>
    <span>Born ${local(bar.born_at)} <em>${exact(bar.born_at)}</em></span>
    ${bar.died_at ? html`<span>Died ${local(bar.died_at)} <em>${exact(bar.died_at)}</em></span>` : html`<span>Last document ${local(bar.last_at)}</span>`}
    <span>${bar.died_at ? "Lived" : "Age"} ${duration(bar.end - bar.start)}</span>
  </div>`;
}

function Range({ range }) {
  const [from, to] = [range.from, range.to].map((at) => new Date(at).toISOString());
  return html`<${Time} at=${from} long /> – <${Time} at=${to} long /> (${duration(range.to - range.from)})`;
}

/** The same threads as a table, for those who do not see the chart. */
function Table({ stream, bars }) {
  return html`<details class="timeline-table"><summary>As a table</summary>
    <table><thead><tr><th scope="col">Thread</th><th scope="col">Documents</th><th scope="col">Born</th><th scope="col">Last document</th><th scope="col">Died</th></tr></thead>
      <tbody>${bars.slice(0, LISTED).map(
        (bar) => html`<tr key=${bar.id}><td><${ThreadLink} stream=${stream} id=${bar.id} label=${bar.label} /></td><td class="number">${whole(bar.size)}</td>
          <td><${Time} at=${bar.born_at} /></td><td><${Time} at=${bar.last_at} /></td><td><${Time} at=${bar.died_at} /></td></tr>`,
      )}</tbody></table>
    ${bars.length > LISTED && html`<p class="note">The largest ${LISTED} of ${whole(bars.length)}; zoom in for others.</p>`}
  </details>`;
}

function themeOf(element) {
  const found = colours(element, ["ink", "muted", "line", "surface", "bar", "merge", "split", "rest", ...TONES]);
  const tones = TONES.map((name) => found[name]);
  return {
    ...found,
    graph: tones,
    shades: shadesOf([found.bar, ...tones], found.surface),
    font: `11px ${getComputedStyle(element).fontFamily}`,
  };
}

function read(stream, filters, span, signal) {
  return get(streamPath(stream, "timeline"), { ...filters, ...span, limit: MOST, buckets: BUCKETS }, signal);
}
