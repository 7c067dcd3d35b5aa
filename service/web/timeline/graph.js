// The share of each thread over time as a stream graph: the strongest threads of the view, and all others together.
import { d3 } from "../lib/html.js";

export const LAYERS = 12;
const POINTS = 80; // across the graph

/** The strongest bars of a span, strongest first. */
export function strongest(model, from, to) {
  const [first, last] = [bucketOf(model, from), bucketOf(model, to)];
  const here = model.bars.filter((bar) => bar.end >= from && bar.start <= to);
  return here.map((bar) => [total(bar.weights, first, last + 1), bar]).filter(([sum]) => sum > 0).sort((a, b) => b[0] - a[0]).slice(0, LAYERS).map(([, bar]) => bar);
}

/** Draw layers of the chosen bars and of the rest. mode: share, or weight for a graph around a middle line. */
export function drawGraph(context, view, model, chosen, mode) {
  const { x, width, height, theme } = view;
  context.clearRect(0, 0, width, height);
  if (!chosen.length) return [];
  const [from, to] = x.domain().map(Number);
  const [first, last] = [Math.max(0, bucketOf(model, from) - 1), Math.min(model.n - 1, bucketOf(model, to) + 1)];
  const group = Math.max(1, Math.ceil((last - first) / POINTS));
  const stack = layersOf(model, chosen, d3.range(first, last + 1, group), group, mode);
  const y = d3.scaleLinear(reach(stack, mode), [height - 2, 2]).clamp(true);
  const at = (i) => x(model.start + (first + (i + 0.5) * group) * model.width);
  const area = d3.area((_, i) => at(i), (d) => y(d[0]), (d) => y(d[1])).curve(d3.curveMonotoneX).context(context);
  stack.forEach((layer) => {
    const bar = layer.key;
    context.beginPath();
    area(layer);
    context.fillStyle = bar ? theme.graph[chosen.indexOf(bar)] : theme.rest;
    context.globalAlpha = !view.hover || view.hover === bar ? 1 : 0.45;
    context.fill();
  });
  context.globalAlpha = 1;
  if (mode === "share") drawScale(context, view, y);
  stack.filter((layer) => layer.key).forEach((layer) => drawName(context, view, layer, at, y));
  return stack.map((layer) => ({ bar: layer.key, under: (px, py) => under(layer, at, y, px, py) }));
}

/** From where to where the layers go; where the named threads are few among many, the rest is cut off. */
function reach(stack, mode) {
  const low = d3.min(stack, (layer) => d3.min(layer, (d) => d[0]));
  const high = d3.max(stack, (layer) => d3.max(layer, (d) => d[1])) || 1;
  const named = d3.max(stack.at(-1), (d) => d[0]);
  return mode === "share" && named < 0.5 ? [0, named * 1.1 || 1] : [low, high];
}

function drawScale(context, { width, theme }, y) {
  context.font = theme.font;
  context.textBaseline = "top";
  for (const share of y.ticks(3).filter((tick) => tick > 0)) {
    context.fillStyle = theme.ink;
    context.globalAlpha = 0.12;
    context.fillRect(0, y(share), width, 1);
    context.globalAlpha = 0.7;
    context.fillText(`${+(100 * share).toFixed(1)}%`, 6, y(share) + 3);
  }
  context.globalAlpha = 1;
}

/** The label of a layer where it is thickest, if it fits. */
function drawName(context, { width, theme }, layer, at, y) {
  context.font = theme.font;
  const text = layer.key.label.length > 26 ? `${layer.key.label.slice(0, 25)}…` : layer.key.label;
  const half = context.measureText(text).width / 2 + 4;
  const step = Math.max(1, at(1) - at(0));
  const [low, high] = [(i) => y(layer[i][0]), (i) => y(layer[i][1])];
  const room = (i) => {
    const near = d3.range(Math.max(0, i - Math.ceil(half / step)), Math.min(layer.length, i + Math.ceil(half / step) + 1));
    return d3.min(near, low) - d3.max(near, high);
  };
  const best = d3.greatest(d3.range(layer.length).filter((i) => at(i) > half && at(i) < width - half), room);
  if (best === undefined || room(best) < 14) return;
  context.textBaseline = "middle";
  context.textAlign = "center";
  context.fillStyle = theme.surface;
  context.fillText(text, at(best), (low(best) + high(best)) / 2);
  context.textAlign = "left";
}

/** Weights of each layer at each point, buckets put together in groups. */
function layersOf(model, chosen, firsts, group, mode) {
  const keys = [...chosen, null];
  const rows = firsts.map((first) => {
    const row = new Map(chosen.map((bar) => [bar, total(bar.weights, first, first + group)]));
    row.set(null, Math.max(0, total(model.sum, first, first + group) - d3.sum(row.values())));
    return row;
  });
  const offset = mode === "share" ? d3.stackOffsetExpand : d3.stackOffsetSilhouette;
  return d3.stack().keys(keys).value((row, key) => row.get(key)).offset(offset)(rows);
}

function under(layer, at, y, px, py) {
  const i = d3.bisector(at).center(d3.range(layer.length), px);
  const [low, high] = layer[Math.max(0, Math.min(layer.length - 1, i))];
  return py <= y(low) && py >= y(high);
}

function total(weights, from, to) {
  let sum = 0;
  for (let i = from; i < to && i < weights.length; i += 1) sum += weights[i];
  return sum;
}

const bucketOf = (model, at) => Math.max(0, Math.min(model.n - 1, Math.floor((at - model.start) / model.width)));
