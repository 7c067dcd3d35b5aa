// What changes while one looks: the latest events of a stream, its statistics, and a number that rises with the model.
import { get, streamPath } from "./api.js";
import { follow } from "./follow.js";
import { DAY } from "./format.js";
import { useEffect, useRef, useState } from "./html.js";

const LATEST = 300; // events kept
const LOOK_MS = 4000; // between two looks at the statistics: documents may come without an event
const SOON_MS = 400; // after an event

const EMPTY = { events: null, stats: null, state: "waiting", error: null };

/** {events: newest first, stats, state, error, version} of a stream. version: of the model since one began to look. */
export function useLive(stream, session) {
  const [live, setLive] = useState(EMPTY);
  const latest = useRef(new Map());
  useEffect(() => {
    latest.current = new Map();
    setLive(EMPTY);
    if (!stream) return undefined;
    const control = new AbortController();
    const parts = { stopFollowing: () => {}, timer: 0 };
    const update = (patch) => !control.signal.aborted && setLive((old) => ({ ...old, ...patch }));
    const events = () => [...latest.current.values()].sort((a, b) => b.seq - a.seq).slice(0, LATEST);
    const look = async () => {
      clearTimeout(parts.timer);
      try {
        if (!document.hidden) update({ stats: await get(streamPath(stream, "stats"), {}, control.signal), error: null });
      } catch (error) {
        update({ error });
      }
      if (!control.signal.aborted) parts.timer = setTimeout(look, LOOK_MS);
    };
    const tell = {
      onState: (state) => (update({ state }), state === "live" && look()),
      onEvent: (event) => {
        latest.current.set(event.seq, event);
        update({ events: events() });
        clearTimeout(parts.timer);
        parts.timer = setTimeout(look, SOON_MS);
      },
    };
    const begin = async () => {
      try {
        const [last, found] = await firstEvents(stream, control.signal);
        found.forEach((event) => latest.current.set(event.seq, event));
        update({ events: events() });
        parts.stopFollowing = follow(streamPath(stream, "events", "stream"), last, tell);
      } catch (error) {
        if (control.signal.aborted) return;
        update({ error });
        parts.begin = setTimeout(begin, LOOK_MS);
      }
    };
    const shown = () => document.hidden || look();
    document.addEventListener("visibilitychange", shown);
    begin();
    look();
    return () => {
      control.abort();
      parts.stopFollowing();
      clearTimeout(parts.timer);
      clearTimeout(parts.begin);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [stream, session]);
  const first = useRef(null);
  useEffect(() => {
    first.current = null;
  }, [stream, session]);
  const { stats } = live;
  if (stats && first.current === null) first.current = stats.model_version;
  return { ...live, version: stats ? stats.model_version - first.current : 0 };
}

/** The number of the last event, and the events of the stream's last day, or the latest ones if that was quiet. */
async function firstEvents(stream, signal) {
  const read = (query) => get(streamPath(stream, "events"), { order: "newest", type: "thread", ...query }, signal);
  const [newest, stats] = await Promise.all([read({ limit: 40 }), get(streamPath(stream, "stats"), {}, signal)]);
  const day = stats.clock ? await read({ limit: LATEST, from: new Date(Date.parse(stats.clock) - DAY).toISOString() }) : newest;
  return [newest.data[0]?.seq || 0, day.data.length ? day.data : newest.data];
}
