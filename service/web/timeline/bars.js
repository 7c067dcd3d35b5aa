// Threads as the chart needs them: from when to when, and runs of equal shade in between.
import { bucketCount, fade, strengths } from "../lib/activity.js";
import { ms } from "../lib/format.js";

export const LEVELS = 7; // shades

/** A timeline of the service as bars, largest first. whole: for a part, the bars of all time, which say how it began. */
export function prepare(timeline, whole = null) {
  const start = ms(timeline.from);
  const width = 1000 * timeline.bucket_seconds;
  const n = bucketCount(timeline);
  const now = Math.max(ms(timeline.clock) || 0, 0);
  const bars = timeline.threads.map((thread) => {
    const alive = thread.state === "live" || thread.state === "dormant";
    const end = ms(thread.died_at) || Math.max(ms(thread.last_at), alive ? now : 0);
    const weights = strengths(thread, n, timeline.bucket_seconds, timeline.half_life_seconds, whole ? strengthAt(whole, thread.id, start) : 0);
    return { ...thread, alive, start: ms(thread.born_at), end: Math.max(end, ms(thread.born_at)), weights, lane: 0, y: 0 };
  });
  const most = bars.reduce((top, bar) => bar.weights.reduce((a, b) => Math.max(a, b), top), 1e-9);
  const sum = new Float64Array(n);
  for (const bar of bars) {
    bar.runs = runsOf(bar, start, width, most);
    for (let i = 0; i < n; i += 1) sum[i] += bar.weights[i];
  }
  return { sum, start, halfLife: timeline.half_life_seconds, end: ms(timeline.to), width, n, bars, total: timeline.total, ...linked(bars) };
}

/** The strength of a thread at a moment, as far as the documents of earlier buckets say. */
function strengthAt(model, id, at) {
  const bucket = Math.min(model.n, Math.floor((at - model.start) / model.width)) - 1;
  const weight = bucket < 0 ? 0 : model.byId.get(id)?.weights[bucket] || 0;
  return weight * fade((at - model.start - (bucket + 1) * model.width) / 1000, model.halfLife);
}

/** Merges and splits as [from, to, when, kind], and bars by id. */
function linked(bars) {
  const byId = new Map(bars.map((bar) => [bar.id, bar]));
  const links = [];
  for (const bar of bars) {
    const [into, from] = [byId.get(bar.merged_into), byId.get(bar.split_from)];
    if (into) links.push([bar, into, bar.end, "merged"]);
    if (from) links.push([from, bar, bar.start, "split"]);
  }
  return { byId, links };
}

/** Stretches of equal shade: [from, to, level] flat in one array. */
function runsOf(bar, start, width, most) {
  const runs = [];
  const first = Math.max(0, Math.floor((bar.start - start) / width));
  const last = Math.min(bar.weights.length - 1, Math.floor((bar.end - start) / width));
  let from = bar.start;
  let level = -1;
  for (let i = first; i <= last; i += 1) {
    const here = levelOf(bar.weights[i], most);
    if (here !== level) {
      const edge = Math.max(bar.start, start + i * width);
      if (level >= 0) runs.push(from, edge, level);
      [from, level] = [edge, here];
    }
  }
  if (level >= 0) runs.push(from, bar.end, level);
  return runs;
}

const levelOf = (weight, most) => Math.max(0, Math.min(LEVELS - 1, Math.floor(LEVELS * (1 + Math.log10(Math.max(weight, 1e-9) / most) / 2.5))));
