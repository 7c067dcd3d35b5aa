// The timeline as an object that owns its two canvases: what shows, how one moves in it, what is under the pointer.
import { HOUR, YEAR } from "../lib/format.js";
import { d3 } from "../lib/html.js";
import { AXIS, drawBars, hit } from "./draw.js";
import { drawGraph, strongest } from "./graph.js";
import { pack } from "./lanes.js";

const LABEL_ROOM = 130; // pixels kept free behind a bar while there are few
const LEAST_ROOM = 5;
const HIGHEST_LANE = 24; // pixels
const LOWEST_LANE = 6;
const SETTLE_MS = 220; // after the last movement
const GLIDE_MS = 320; // in which bars find their new lines
const SPAN = { least: HOUR, most: 10 * YEAR };

export class TimelineChart {
  /** tell: {onHover(bar, point), onOpen(bar), onRange(from, to, hidden)}. */
  constructor(root, bars, graph, tell) {
    Object.assign(this, { root, tell, mode: "share", hover: null, selected: null, model: null, whole: null, part: null, lane: HIGHEST_LANE, gap: 0 });
    this.canvases = { bars, graph };
    this.zoom = d3.zoom().on("zoom", () => this.moved()).clickDistance(4);
    this.select = d3.select(root).call(this.zoom).on("dblclick.zoom", null);
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(root);
    this.listen();
  }

  destroy() {
    this.watch.disconnect();
    clearTimeout(this.settling);
    cancelAnimationFrame(this.frame);
    this.select.on(".zoom", null);
    this.gone = true;
  }

  /** Show other data: all of time, and a part of it in finer buckets if one has zoomed in. */
  setModels(whole, part) {
    Object.assign(this, { whole, part });
    if (this.base) this.settle();
  }

  /** The data that fits what shows; bars that were there stay where they are until the view settles. */
  choose() {
    const [from, to] = this.range;
    const fits = this.part && this.part.start <= from && this.part.end >= to;
    const chosen = fits ? this.part : this.whole;
    const before = this.model;
    if (chosen === before) return;
    this.model = chosen;
    for (const bar of chosen.bars) {
      const old = before?.byId.get(bar.id);
      if (old) Object.assign(bar, { y: old.y, lane: old.lane, hidden: old.hidden });
    }
    this.selected = this.selected && (chosen.byId.get(this.selected.id) || null);
    this.hover = this.hover && (chosen.byId.get(this.hover.id) || null);
  }

  setTheme(theme) {
    this.theme = theme;
    this.redraw();
  }

  setMode(mode) {
    this.mode = mode;
    this.redraw();
  }

  /** Where one may go: all data and ten years at least, down to an hour. */
  setReach(start, end) {
    this.home = [start, Math.max(end, start + HOUR)];
    this.resize();
  }

  get width() {
    return this.root.clientWidth;
  }

  get x() {
    return d3.zoomTransform(this.root).rescaleX(this.base);
  }

  get range() {
    return this.x.domain().map(Number);
  }

  /** Show a span of time. */
  show(from, to, smooth = false) {
    const span = Math.max(SPAN.least, to - from);
    const k = (this.home[1] - this.home[0]) / span;
    const transform = d3.zoomIdentity.scale(k).translate(-this.base(from), 0);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    (smooth && !still ? this.select.transition().duration(GLIDE_MS) : this.select).call(this.zoom.transform, transform);
  }

  resize() {
    if (!this.home || !this.width) return;
    const kept = this.base ? this.range : this.wanted || this.home;
    const ratio = devicePixelRatio || 1;
    for (const canvas of Object.values(this.canvases)) {
      canvas.width = Math.round(canvas.clientWidth * ratio);
      canvas.height = Math.round(canvas.clientHeight * ratio);
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    const [start, end] = this.home;
    const span = end - start;
    this.base = d3.scaleTime([start, end], [0, this.width]);
    const spare = Math.max(SPAN.most, span * 1.2) - span;
    const [left, right] = [start - spare, end + spare].map((at) => this.base(at));
    this.zoom.extent([[0, 0], [this.width, this.root.clientHeight]]).translateExtent([[left, -1e9], [right, 1e9]]);
    this.zoom.scaleExtent([span / Math.max(SPAN.most, span * 1.2), Math.max(1, span / SPAN.least)]);
    this.still = true;
    this.show(...kept);
    this.still = false;
    this.settle();
  }

  // Moving.

  moved() {
    if (!this.still) this.tell.onHover(null);
    this.redraw();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settle(), SETTLE_MS);
  }

  /** The view stands still: give its bars the lines they fit on, and tell the range. */
  settle() {
    if (this.gone || !this.whole || !this.base) return;
    this.choose();
    const [from, to] = this.range;
    const shown = this.model.bars.filter((bar) => bar.end >= from && bar.start <= to);
    const room = this.canvases.bars.clientHeight - AXIS - 6;
    const pixel = (to - from) / this.width;
    this.gap = LABEL_ROOM * pixel;
    let lanes = pack(shown, this.gap, Math.floor(room / 16));
    if (shown.some((bar) => bar.hidden && bar.size)) {
      this.gap = LEAST_ROOM * pixel;
      lanes = pack(shown, this.gap, Math.floor(room / LOWEST_LANE));
    }
    this.glide(shown, Math.max(LOWEST_LANE, Math.min(HIGHEST_LANE, room / lanes)));
    this.shown = shown.filter((bar) => !bar.hidden);
    this.tell.onRange(from, to, shown.filter((bar) => bar.hidden && bar.size).length);
  }

  /** Let bars glide to their lines. */
  glide(bars, lane) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || !this.drawn;
    const from = { lane: this.lane, ys: bars.map((bar) => bar.y) };
    const began = performance.now();
    const step = (now) => {
      const t = still ? 1 : d3.easeCubicOut(Math.min(1, (now - began) / GLIDE_MS));
      bars.forEach((bar, i) => (bar.y = from.ys[i] + (bar.lane - from.ys[i]) * t));
      this.lane = from.lane + (lane - from.lane) * t;
      this.draw();
      if (t < 1 && this.gliding === step) requestAnimationFrame(step);
    };
    this.gliding = step;
    step(began);
  }

  // Drawing.

  redraw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  view(canvas) {
    const { model, lane, gap, theme, hover, selected } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    return { bars: model.bars, links: model.links, x: this.x, lane, gap, width, height, theme, hover, selected, tones: this.tones };
  }

  draw() {
    if (this.gone || !this.whole || !this.theme || !this.base) return;
    this.choose();
    const began = performance.now();
    const chosen = strongest(this.model, ...this.range);
    this.tones = new Map(chosen.map((bar, at) => [bar.id, at]));
    const { bars, graph } = this.canvases;
    drawBars(bars.getContext("2d"), this.view(bars));
    this.layers = drawGraph(graph.getContext("2d"), this.view(graph), this.model, chosen, this.mode);
    this.chosen = chosen;
    this.drawn = true;
    bars.dataset.drawMs = (performance.now() - began).toFixed(1);
    bars.dataset.frames = String(Number(bars.dataset.frames || 0) + 1);
  }

  // Pointer and keys.

  listen() {
    const { bars, graph } = this.canvases;
    const point = (event) => (event.target === graph ? this.underGraph(event) : this.underBars(event));
    this.root.addEventListener("pointermove", (event) => event.buttons || this.point(point(event), event));
    this.root.addEventListener("pointerleave", () => this.point(null));
    this.root.addEventListener("click", (event) => {
      const bar = point(event);
      if (bar) this.tell.onOpen(bar);
    });
    this.root.addEventListener("keydown", (event) => this.key(event));
    bars.style.touchAction = graph.style.touchAction = "pan-y";
  }

  underBars(event) {
    return this.model && this.base ? hit(this.view(this.canvases.bars), event.offsetX, event.offsetY) : null;
  }

  underGraph(event) {
    return this.layers?.find((layer) => layer.bar && layer.under(event.offsetX, event.offsetY))?.bar || null;
  }

  point(bar, event) {
    this.root.style.cursor = bar ? "pointer" : "";
    if (this.hover !== bar) {
      this.hover = bar;
      this.redraw();
    }
    const box = this.root.getBoundingClientRect();
    this.tell.onHover(bar, event && { x: event.clientX - box.left, y: event.clientY - box.top, at: +this.x.invert(event.clientX - box.left) });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.base) return;
    const [from, to] = this.range;
    const span = to - from;
    const centre = (from + to) / 2;
    const zoomed = (factor) => () => this.show(centre - (span * factor) / 2, centre + (span * factor) / 2);
    const acts = {
      ArrowLeft: () => this.show(from - span / 5, to - span / 5),
      ArrowRight: () => this.show(from + span / 5, to + span / 5),
      "+": zoomed(0.5),
      "=": zoomed(0.5),
      "-": zoomed(2),
      Home: () => this.show(...this.home),
      0: () => this.show(...this.home),
      ArrowDown: () => this.step(1),
      ArrowUp: () => this.step(-1),
      Enter: () => this.selected && this.tell.onOpen(this.selected),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  /** Select the next thread of those shown, from the largest on. */
  step(by) {
    const bars = this.shown || [];
    if (!bars.length) return;
    const at = bars.indexOf(this.selected);
    this.selected = bars[(at + by + bars.length) % bars.length] || bars[0];
    const [from, to] = this.range;
    const place = { x: this.x(Math.max(from, Math.min(to, (this.selected.start + this.selected.end) / 2))), y: AXIS + (this.selected.y + 1) * this.lane, at: this.selected.end };
    this.redraw();
    this.tell.onHover(this.selected, place);
  }
}
