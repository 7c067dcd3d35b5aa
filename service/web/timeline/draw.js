// The canvas of bars: axis, lives by shade, births, deaths, links.
import { tick } from "../lib/format.js";
import { d3 } from "../lib/html.js";
import { LEVELS } from "./bars.js";

export const AXIS = 28; // pixels above the bars
const LABEL_HEIGHT = 11; // lanes at least so high get labels
const LINK_HEIGHT = 7; // lanes at least so high show births, deaths and all links; lower ones the links of the thread in focus

/** Draw what `view` says: {bars, links, x, lane, gap, width, height, tones, theme, hover, selected}. */
export function drawBars(context, view) {
  const { width, height, theme } = view;
  context.clearRect(0, 0, width, height);
  drawAxis(context, view);
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  const seen = visible(view);
  drawLinks(context, view);
  drawLives(context, view, seen);
  drawEnds(context, view, seen);
  if (view.lane >= LABEL_HEIGHT) drawLabels(context, view, seen);
  for (const bar of [view.selected, view.hover]) if (bar) outline(context, view, bar, theme.ink);
  context.restore();
  return seen.length;
}

export const top = (view, bar) => AXIS + bar.y * view.lane;
const thickness = (view) => Math.max(1.5, Math.min(18, view.lane - (view.lane > 16 ? 4 : 2)));

/** Bars that show, at least in part. */
function visible(view) {
  const [from, to] = view.x.domain().map(Number);
  return view.bars.filter((bar) => {
    if (bar.end < from || bar.start > to || bar.hidden) return false;
    const y = top(view, bar);
    return y > AXIS - view.lane && y < view.height;
  });
}

function drawAxis(context, { x, width, height, theme }) {
  context.font = theme.font;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const moment of x.ticks(Math.max(2, Math.floor(width / 120)))) {
    const at = Math.round(x(moment)) + 0.5;
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(at, 4);
    context.lineTo(at, height);
    context.stroke();
    context.fillStyle = theme.muted;
    const text = tick(moment);
    if (at + 5 + context.measureText(text).width < width) context.fillText(text, at + 5, 13);
  }
}

/** Shades in passes of one colour each, so that the colour is set once for thousands of rectangles. */
function drawLives(context, view, seen) {
  const { x, tones } = view;
  const high = thickness(view);
  const passes = new Map();
  for (const bar of seen) {
    const y = top(view, bar) + (view.lane - high) / 2;
    const tone = tones.get(bar.id) ?? -1;
    const { runs } = bar;
    for (let i = 0; i < runs.length; i += 3) {
      const left = Math.max(-2, x(runs[i]));
      const right = Math.min(view.width + 2, i + 3 < runs.length ? x(runs[i + 1]) : Math.max(x(runs[i + 1]), left + 2));
      if (right < 0 || left > view.width || (right - left < 0.4 && i + 3 < runs.length)) continue;
      const key = (tone + 1) * LEVELS + runs[i + 2];
      let pass = passes.get(key);
      if (!pass) passes.set(key, (pass = []));
      pass.push(left, y, right - left);
    }
  }
  for (const [key, pass] of passes) {
    context.fillStyle = view.theme.shades[Math.floor(key / LEVELS)][key % LEVELS];
    for (let i = 0; i < pass.length; i += 3) context.fillRect(pass[i], pass[i + 1], pass[i + 2], high);
  }
}

/** A dot for a birth, a cross-bar for a death; only where lanes are high enough to tell them apart. */
function drawEnds(context, view, seen) {
  if (view.lane < LINK_HEIGHT) return;
  const high = thickness(view);
  context.fillStyle = view.theme.ink;
  for (const bar of seen) {
    const y = top(view, bar) + (view.lane - high) / 2;
    context.globalAlpha = 0.75;
    context.fillRect(view.x(bar.start) - 1, y - 1, 2, high + 2);
    if (bar.state === "dead") context.fillRect(view.x(bar.end) - 0.75, y + high / 4, 1.5, high / 2);
  }
  context.globalAlpha = 1;
}

function drawLabels(context, view, seen) {
  context.font = view.theme.font;
  context.textBaseline = "middle";
  for (const bar of seen) {
    const left = Math.max(4, view.x(bar.start) + 6);
    const room = Math.min(view.width, view.x(bar.end + view.gap)) - left - 4;
    if (room < 40) continue;
    const y = top(view, bar) + view.lane / 2 + 0.5;
    const text = fitted(context, bar.label || bar.id, room);
    context.lineWidth = 2.5;
    context.lineJoin = "round";
    context.strokeStyle = view.theme.surface;
    context.globalAlpha = 0.5;
    context.strokeText(text, left, y);
    context.globalAlpha = 1;
    context.fillStyle = view.theme.ink;
    context.fillText(text, left, y);
  }
  context.lineWidth = 1;
}

function fitted(context, text, room) {
  const most = Math.floor(room / 5.2);
  if (text.length <= most && context.measureText(text).width <= room) return text;
  let cut = Math.min(text.length, most);
  while (cut > 1 && context.measureText(`${text.slice(0, cut)}…`).width > room) cut -= 2;
  return `${text.slice(0, Math.max(1, cut))}…`;
}

/** Merges and splits as curves from thread to thread; those of the thread in focus stand out. */
function drawLinks(context, view) {
  const [from, to] = view.x.domain().map(Number);
  for (const [a, b, at, kind] of view.links) {
    const focus = view.hover === a || view.hover === b || view.selected === a || view.selected === b;
    if (at < from || at > to || (view.lane < LINK_HEIGHT && !focus) || a.hidden || b.hidden) continue;
    const [x, y0, y1] = [view.x(at), top(view, a) + view.lane / 2, top(view, b) + view.lane / 2];
    const bend = Math.min(26, 6 + Math.abs(y1 - y0) / 6);
    context.strokeStyle = kind === "merged" ? view.theme.merge : view.theme.split;
    context.globalAlpha = focus ? 1 : 0.4;
    context.lineWidth = focus ? 2 : 1.2;
    context.beginPath();
    context.moveTo(x, y0);
    context.bezierCurveTo(x + bend, y0, x + bend, y1, x, y1);
    context.stroke();
  }
  context.globalAlpha = 1;
  context.lineWidth = 1;
}

function outline(context, view, bar, colour) {
  const high = thickness(view);
  const y = top(view, bar) + (view.lane - high) / 2;
  const left = Math.max(-4, view.x(bar.start));
  const right = Math.min(view.width + 4, Math.max(view.x(bar.end), left + 2));
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.strokeRect(left - 1.5, y - 1.5, right - left + 3, high + 3);
  context.lineWidth = 1;
}

/** The bar under a point, or none. */
export function hit(view, px, py) {
  if (py < AXIS) return null;
  const reach = 3;
  let found = null;
  for (const bar of visible(view)) {
    const y = top(view, bar);
    if (py < y - 1 || py > y + view.lane + 1) continue;
    if (px >= view.x(bar.start) - reach && px <= Math.max(view.x(bar.end), view.x(bar.start) + 2) + reach) found = found && found.size > bar.size ? found : bar;
  }
  return found;
}

/** Shades of each tone, from pale to full, over the surface. */
export function shadesOf(colours, surface) {
  return colours.map((colour) => d3.range(LEVELS).map((level) => d3.interpolateRgb(surface, colour)(0.2 + (0.8 * level) / (LEVELS - 1))));
}
