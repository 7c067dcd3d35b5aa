// Which bar goes on which line, so that none overlap: the largest threads get the upper lines.
const FREE = 24; // lanes that anybody may open

/**
 * Give each bar a `lane`, and return how many lanes there are. Bars come largest first; those that find no room are
 * hidden, and merged threads, which have no documents left, open no lane of their own. gap: time kept free behind a bar.
 */
export function pack(bars, gap, most) {
  const lanes = []; // of each lane its bars' starts and ends, ascending
  for (const bar of bars) {
    let at = 0;
    while (at < lanes.length && !fits(lanes[at], bar.start, bar.end + gap)) at += 1;
    bar.hidden = at >= most || (bar.size === 0 && at >= Math.max(lanes.length, Math.min(most, FREE)));
    if (bar.hidden) continue;
    if (at === lanes.length) lanes.push({ starts: [], ends: [] });
    const place = firstAfter(lanes[at].starts, bar.start);
    lanes[at].starts.splice(place, 0, bar.start);
    lanes[at].ends.splice(place, 0, bar.end + gap);
    bar.lane = at;
  }
  return Math.max(1, lanes.length);
}

function fits({ starts, ends }, start, end) {
  const place = firstAfter(starts, start);
  return (place === 0 || ends[place - 1] <= start) && (place === starts.length || starts[place] >= end);
}

/** The place of the first of ascending numbers that is greater. */
function firstAfter(numbers, value) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
