// Server-sent events by fetch, because EventSource cannot send a key. Resumes by itself after the last event seen.
import { request } from "./api.js";

const FIRST_WAIT = 500; // milliseconds before the first new attempt; doubles
const LONGEST_WAIT = 5_000;
const SILENCE = 45_000; // the service says something every 15 s; after three times that the line is dead

/** Follow events of a stream. tell: {onEvent(event), onState("live" | "waiting" | "gone")}; returns how to stop. */
export function follow(where, after, tell) {
  const control = new AbortController();
  let last = after;
  const seen = (event) => {
    last = event.seq;
    tell.onEvent(event);
  };
  (async () => {
    for (let failures = 0; !control.signal.aborted; failures += 1) {
      const line = new AbortController();
      const stop = () => line.abort();
      control.signal.addEventListener("abort", stop);
      try {
        const headers = last ? { "Last-Event-ID": String(last) } : {};
        const response = await request(where, { query: { type: "thread" }, headers, signal: line.signal });
        tell.onState("live");
        failures = 0;
        await read(response.body, line, seen);
      } catch (error) {
        if (error.status === 404) tell.onState("gone");
      }
      control.signal.removeEventListener("abort", stop);
      if (control.signal.aborted) return;
      tell.onState("waiting");
      await pause(Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT), control.signal);
    }
  })();
  return () => control.abort();
}

/** Events of a body until it ends. */
async function read(body, line, onEvent) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let watch = setTimeout(() => line.abort(), SILENCE);
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(() => line.abort(), SILENCE);
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      blocks.map(parse).filter(Boolean).forEach(onEvent);
    }
  } finally {
    clearTimeout(watch);
  }
}

/** The data of one block of lines; null for pings. */
function parse(block) {
  const data = block.split("\n").filter((line) => line.startsWith("data: "));
  return data.length ? JSON.parse(data.map((line) => line.slice(6)).join("\n")) : null;
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()));
  });
}
