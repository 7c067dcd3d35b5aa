// Documents in buckets as a strength that fades.
const UNKNOWN_FADE = 0.75; // kept from bucket to bucket where the stream has no half-life

/** The strength at the end of each of n buckets, from the strength before them and the documents that came in some. */
export function strengths(bar, n, bucketSeconds, halfLife, before = 0) {
  const keep = fade(bucketSeconds, halfLife);
  const half = Math.sqrt(keep); // a document comes in the middle of its bucket
  const values = new Float32Array(n);
  let weight = before;
  let next = 0;
  for (let i = 0; i < n; i += 1) {
    weight *= keep;
    if (bar.buckets[next] === i) {
      weight += bar.documents[next] * half;
      next += 1;
    }
    values[i] = weight;
  }
  return values;
}

/** What is left of a strength after some seconds. */
export const fade = (seconds, halfLife) => (halfLife ? 0.5 ** (seconds / halfLife) : UNKNOWN_FADE);

export const bucketCount = (timeline) => Math.ceil((Date.parse(timeline.to) - Date.parse(timeline.from)) / 1000 / timeline.bucket_seconds);
