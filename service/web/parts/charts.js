// Charts as SVG. Each has a sentence for those who do not see it.
import { tick } from "../lib/format.js";
import { d3, html, useState } from "../lib/html.js";
import { useWidth } from "../lib/hooks.js";

const MARGIN = { top: 10, right: 12, bottom: 26, left: 46 };

/** Documents of a thread over time, as tall as a line of text. values: a number for each bucket. */
export function Spark({ values, label, width = 120, height = 28 }) {
  const most = d3.max(values) || 1;
  const x = d3.scaleLinear([0, values.length - 1], [1, width - 1]);
  const y = d3.scaleSqrt([0, most], [height - 2, 2]);
  const area = d3.area((_, i) => x(i), height - 1, (value) => y(value)).curve(d3.curveMonotoneX);
  const line = d3.line((_, i) => x(i), (value) => y(value)).curve(d3.curveMonotoneX);
  return html`<svg class="spark" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} role="img" aria-label=${label}>
    <path class="spark-area" d=${area(values)} /><path class="spark-line" d=${line(values)} />
  </svg>`;
}

/** One line over time or over a number. points: [x, y]; step: the value holds until the next point. */
export function LineChart({ points, label, height = 200, time = true, step = false, area = true, y0 = true, yMax, format, xFormat, marks = [], tone = "" }) {
  const [ref, width] = useWidth();
  const [near, setNear] = useState(null);
  const x = (time ? d3.scaleTime() : d3.scaleLinear()).domain(d3.extent(points, ([at]) => +at)).range([MARGIN.left, width - MARGIN.right]);
  const [low, high] = d3.extent(points, ([, value]) => value);
  const spare = (high - low) * 0.12 || Math.abs(high) * 0.1 || 1;
  const y = d3.scaleLinear([y0 ? 0 : Math.max(0, low - spare), yMax ?? high + spare], [height - MARGIN.bottom, MARGIN.top]);
  if (yMax === undefined) y.nice(4);
  const curve = step ? d3.curveStepAfter : d3.curveMonotoneX;
  const [px, py] = [([at]) => x(at), ([, value]) => y(value)];
  const shown = near === null ? null : points[near];
  const move = (event) => {
    const at = +x.invert(d3.pointer(event, ref.current.querySelector("svg"))[0]);
    setNear(step ? Math.max(0, d3.bisector(([value]) => +value).right(points, at) - 1) : d3.bisector(([value]) => +value).center(points, at));
  };
  return html`<div class=${`chart ${tone}`} ref=${ref}>
    <svg width=${width} height=${height} role="img" aria-label=${label} onPointerMove=${move} onPointerLeave=${() => setNear(null)}>
      <${YAxis} scale=${y} width=${width} format=${format} />
      <${XAxis} scale=${x} height=${height} format=${xFormat} width=${width} />
      ${area && html`<path class="chart-area" d=${d3.area(px, y(y.domain()[0]), py).curve(curve)(points)} />`}
      <path class="chart-line" d=${d3.line(px, py).curve(curve)(points)} />
      ${points.length === 1 && html`<circle class="chart-dot" cx=${px(points[0])} cy=${py(points[0])} r="3.500" />`}
      ${marks.map((at) => html`<line class="chart-mark" x1=${x(at)} x2=${x(at)} y1=${height - MARGIN.bottom} y2=${height - MARGIN.bottom - 6} />`)}
      ${shown && html`<line class="chart-cross" x1=${px(shown)} x2=${px(shown)} y1=${MARGIN.top} y2=${height - MARGIN.bottom} />
        <circle class="chart-dot" cx=${px(shown)} cy=${py(shown)} r="3.500" />`}
    </svg>
    ${shown && html`<div class="tip" style=${tipPlace(px(shown), width)}><strong>${format(shown[1])}</strong><span>${xFormat ? xFormat(+shown[0]) : moment(shown[0])}</span></div>`}
  </div>`;
}

/** Bars on a log scale of time. bins: {from, to, parts: [below, above]}. */
export function Histogram({ bins, label, names, format, height = 200 }) {
  const [ref, width] = useWidth();
  const [near, setNear] = useState(null);
  const x = d3.scaleBand(d3.range(bins.length), [MARGIN.left, width - MARGIN.right]).padding(0.12);
  const y = d3.scaleLinear([0, d3.max(bins, (bin) => d3.sum(bin.parts)) || 1], [height - MARGIN.bottom, MARGIN.top]).nice(4);
  const every = Math.ceil(bins.length / Math.max(2, Math.floor(width / 90)));
  const shown = near === null ? null : bins[near];
  return html`<div class="chart" ref=${ref}>
    <svg width=${width} height=${height} role="img" aria-label=${label} onPointerLeave=${() => setNear(null)}>
      <${YAxis} scale=${y} width=${width} format=${d3.format("~s")} />
      ${bins.map((bin, i) => {
        const [below, above] = bin.parts;
        return html`<g onPointerEnter=${() => setNear(i)}>
          <rect class="bar-hit" x=${x(i)} width=${x.bandwidth()} y=${MARGIN.top} height=${height - MARGIN.top - MARGIN.bottom} />
          <rect class="bar" x=${x(i)} width=${x.bandwidth()} y=${y(below)} height=${y(0) - y(below)} />
          <rect class="bar bar-pale" x=${x(i)} width=${x.bandwidth()} y=${y(below + above)} height=${y(below) - y(below + above)} />
          ${i % every === 0 && html`<text class="axis-text" x=${x(i)} y=${height - 8}>${format(bin.from)}</text>`}
        </g>`;
      })}
    </svg>
    ${shown && html`<div class="tip" style=${tipPlace(x(near) + x.bandwidth() / 2, width)}>
      <strong>${format(shown.from)} – ${format(shown.to)}</strong>
      ${shown.parts.map((value, i) => html`<span>${value} ${names[i]}</span>`)}
    </div>`}
  </div>`;
}

function YAxis({ scale, width, format }) {
  return scale.ticks(4).map(
    (at) => html`<g class="axis"><line x1=${MARGIN.left} x2=${width - MARGIN.right} y1=${scale(at)} y2=${scale(at)} />
      <text class="axis-text" x=${MARGIN.left - 8} y=${scale(at) + 4} text-anchor="end">${format(at)}</text></g>`,
  );
}

function XAxis({ scale, height, width, format }) {
  const ticks = scale.ticks(Math.max(2, Math.floor(width / 110)));
  const shown = format || tick;
  return ticks.map((at) => html`<text class="axis-text" x=${scale(at)} y=${height - 8} text-anchor="middle">${shown(at)}</text>`);
}

const moment = (at) => new Date(+at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
const tipPlace = (x, width) => (x > width / 2 ? { right: `${width - x + 10}px` } : { left: `${x + 10}px` });
