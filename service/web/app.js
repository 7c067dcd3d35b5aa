// The frame: which stream, which view, how it is connected, which key.
import { get, hasKey, onKeyNeeded, path, setKey } from "./lib/api.js";
import { keyed, useLoad } from "./lib/hooks.js";
import { html, render, useEffect, useRef, useState } from "./lib/html.js";
import { useLive } from "./lib/live.js";
import { go, link, useRoute, VIEWS } from "./lib/route.js";
import { useTheme } from "./lib/theme.js";
import { Icon } from "./parts/basic.js";
import { KeyForm } from "./parts/key.js";
import { Empty, Failure, Loading } from "./parts/states.js";
import { DocumentView } from "./views/document.js";
import { LifespansView } from "./views/lifespans.js";
import { NowView } from "./views/now.js";
import { StreamView } from "./views/stream.js";
import { ThreadView } from "./views/thread.js";
import { TimelineView } from "./views/timeline.js";
import { TryView } from "./views/try.js";
import { Welcome } from "./views/welcome.js";

const TABS = [
  ["now", "Now"],
  ["timeline", "Timeline"],
  ["lifespans", "Lifespans"],
  ["try", "Try it"],
  ["stream", "Stream"],
];
const PAGES = {
  now: NowView,
  timeline: TimelineView,
  threads: ThreadView,
  documents: DocumentView,
  lifespans: LifespansView,
  try: TryView,
  stream: StreamView,
};
const LINE = {
  live: ["Live", "New events show as they happen"],
  waiting: ["Reconnecting", "The connection is down; it comes back by itself"],
  gone: ["No stream", "This stream does not exist (yet)"],
};

function App() {
  const route = useRoute();
  const [session, setSession] = useState(0); // one more with every new key
  const [asked, setAsked] = useState(null); // null: no key is needed; otherwise whether the one given was refused
  const [theme, nextTheme, dark] = useTheme();
  const streams = useLoad((signal) => allStreams(signal), keyed([session], route.stream));
  const known = streams.data;
  const there = known ? known.includes(route.stream) : Boolean(route.stream); // trusted until the streams are known
  const live = useLive(there ? route.stream : null, session);

  useEffect(() => onKeyNeeded((refused) => setAsked({ refused })), []);
  useEffect(() => {
    if (known?.length && !route.stream) go(link(known.includes("default") ? "default" : known[0]));
  }, [known, route.stream]);
  useEffect(() => {
    if (known?.length !== 0) return undefined;
    const timer = setTimeout(streams.reload, 2500); // the first document may come from elsewhere
    return () => clearTimeout(timer);
  }, [known]);
  const place = `${route.stream}/${route.view}/${route.id}`;
  const shown = useRef(place);
  useEffect(() => {
    if (shown.current === place) return;
    if (!shown.current.startsWith("null/")) document.querySelector("main").focus({ preventScroll: true });
    shown.current = place;
    scrollTo(0, 0);
  }, [place]);

  const unlock = (secret) => {
    setKey(secret);
    setAsked(null);
    setSession((value) => value + 1);
  };
  const View = PAGES[route.view];
  return html`<a class="skip" href="#main" onClick=${skip}>Skip to content</a>
    <header class="top">
      <a class="brand" href=${link(route.stream)}><${Mark} />Threadline</a>
      ${known?.length > 0 && html`<${StreamChoice} known=${known} route=${route} />`}
      <nav class="tabs" aria-label="Views">
        ${(there || known?.length > 0) && route.stream && TABS.map(
          ([view, name]) => html`<a href=${link(route.stream, view)} aria-current=${current(route.view, view) ? "page" : null}>${name}</a>`,
        )}
      </nav>
      <div class="top-end">
        ${there && html`<${Line} state=${live.state} />`}
        ${hasKey() && html`<button type="button" class="quiet" onClick=${() => unlock(null)} title="Forget the key of this tab">Lock</button>`}
        <button type="button" class="quiet icon-button" onClick=${nextTheme} aria-label=${`Theme: ${theme}. Change`} title=${`Theme: ${theme}`}>
          <${Icon} name=${{ light: "sun", dark: "moon", system: "system" }[theme]} />
        </button>
      </div>
    </header>
    <main id="main" tabindex="-1">
      ${asked ? html`<${KeyForm} refused=${asked.refused} onKey=${unlock} />`
      : !known && !there ? (streams.error ? html`<${Failure} error=${streams.error} retry=${streams.reload} />` : html`<${Loading} what="Loading streams" rows=${6} />`)
      : known && !known.length ? html`<${Welcome} onLoaded=${() => (streams.reload(), go(link("default")))} />`
      : !route.stream ? html`<${Loading} />`
      : !there ? html`<${Empty} title=${`There is no stream named ${route.stream}`}><p>${known.map((name) => html`<a class="chip" href=${link(name)}>${name}</a>`)}</p><//>`
      : !View ? html`<${Empty} title="There is no such view"><p><a href=${link(route.stream)}>See what is going on now</a></p><//>`
      : html`<${View} key=${`${route.stream}/${session}/${VIEWS.includes(route.view) ? route.id : ""}`} stream=${route.stream} id=${route.id} query=${route.query} live=${live} dark=${dark} />`}
    </main>`;
}

function StreamChoice({ known, route }) {
  return html`<label class="stream-choice"><span class="visually-hidden">Stream</span>
    <select value=${route.stream} onChange=${(event) => go(link(event.target.value, TABS.some(([view]) => view === route.view) ? route.view : "now"))}>
      ${!known.includes(route.stream) && html`<option value=${route.stream}>${route.stream}</option>`}
      ${known.map((name) => html`<option value=${name} selected=${name === route.stream}>${name}</option>`)}
    </select>
  </label>`;
}

function Line({ state }) {
  const [name, hint] = LINE[state];
  return html`<span class=${`line line-${state}`} role="status" title=${hint}><span class="line-dot" aria-hidden="true"></span><span class="line-name">${name}</span></span>`;
}

const Mark = () => html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" /><g><path d="M6 10h9c4 0 4 6 8 6h3" /><path d="M6 16h5" opacity=".75" /><path d="M6 22h7c5 0 5-6 9-6" opacity=".55" /></g></svg>`;

const current = (view, tab) => view === tab || (tab === "now" && (view === "threads" || view === "documents"));

function skip(event) {
  event.preventDefault();
  document.querySelector("main").focus();
}

async function allStreams(signal) {
  const names = [];
  for (let cursor = null, more = true; more; ) {
    const page = await get(path("streams"), { limit: 500, cursor }, signal);
    names.push(...page.data.map((stream) => stream.name));
    [more, cursor] = [page.has_more, page.next_cursor];
  }
  return names;
}

const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);
