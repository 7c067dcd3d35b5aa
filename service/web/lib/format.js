// Numbers and times as people read them: in the reader's language and zone, with the exact UTC kept for hovering.
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const YEAR = 365.25 * DAY;

const STEPS = [
  [YEAR, "y"],
  [30.4375 * DAY, "mo"],
  [DAY, "d"],
  [HOUR, "h"],
  [MINUTE, "min"],
  [SECOND, "s"],
];
const count = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const formats = {};
const format = (name, options) => (formats[name] ||= new Intl.DateTimeFormat(undefined, options));

export const ms = (iso) => (iso ? Date.parse(iso) : null);
export const whole = (value) => count.format(value);
export const percent = (share) => (share === 0 ? "0%" : share >= 0.9995 ? "100%" : share < 0.001 ? "<0.1%" : `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`);
export const plural = (value, one, many = `${one}s`) => `${whole(value)} ${value === 1 ? one : many}`;

/** Three digits at most: 0.42, 8.2, 17, 1,204. */
export function decimal(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  return size >= 100 ? whole(value) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** A length of time: 3.5 d, 12 min. */
export function duration(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return "–";
  const [unit, name] = STEPS.find(([step]) => Math.abs(milliseconds) >= step) || STEPS.at(-1);
  const value = milliseconds / unit;
  return `${value >= 10 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${name}`;
}

/** The moment in full, UTC, to the microsecond that the service knows. */
export function exact(iso) {
  const [, day, time, fraction = ""] = /^([^T]*)T([^.Z]*)(\.\d+)?Z?$/.exec(iso) || [null, iso, ""];
  return `${day} ${time}${/[1-9]/.test(fraction) ? fraction.replace(/0+$/, "") : ""} UTC`;
}

/** The moment in the reader's zone, short; the year only where it is not this one. */
export function local(iso, { long = false } = {}) {
  const moment = new Date(iso);
  const year = long || moment.getFullYear() !== new Date().getFullYear();
  const day = { day: "numeric", month: "short", ...(year ? { year: "numeric" } : {}) };
  return format(`l${year}`, { ...day, hour: "2-digit", minute: "2-digit" }).format(moment);
}

/** How long ago, for what is recent; otherwise the moment. */
export function ago(iso, now = Date.now()) {
  const passed = now - ms(iso);
  if (passed < 0 || passed > 7 * DAY) return local(iso);
  return passed < MINUTE ? "just now" : `${duration(passed)} ago`;
}

/** The seconds of an ISO 8601 duration of days and times. */
export function isoDuration(text) {
  const found = /^P(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/.exec(text || "");
  if (!found) return null;
  const [weeks, days, hours, minutes, seconds] = found.slice(1).map((part) => Number(part || 0));
  return ((weeks * 7 + days) * 24 + hours) * 3600 + minutes * 60 + seconds;
}

/** A moment as a mark on an axis of time: as much as tells it from its neighbours. */
export function tick(at) {
  const moment = new Date(at);
  if (moment.getSeconds()) return format("s", { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(moment);
  if (moment.getHours() || moment.getMinutes()) return format("m", { hour: "2-digit", minute: "2-digit" }).format(moment);
  if (moment.getDate() > 1) return format("d", { day: "numeric", month: "short" }).format(moment);
  return moment.getMonth() ? format("o", { month: "long" }).format(moment) : String(moment.getFullYear());
}
