"use strict";
// Values over the cycles. A track is a list of changes; its value in a cycle is that of the last change
// up to that cycle, or -1 if there is none.
const tracks = {
  /** Cycles and values of a track, from alternating cycle differences and values; a difference of -n means n copies of
   * the pairs that are as many pairs earlier as the value says. */
  read(numbers) {
    const steps = [];
    const values = [];
    const add = (step, value) => { steps.push(step); values.push(value); };
    for (let i = 0; i < numbers.length; i += 2) {
      const [step, value] = [numbers[i], numbers[i + 1]];
      if (step >= 0) add(step, value);
      for (let k = step; k < 0; k++) add(steps[steps.length - value], values[values.length - value]);
    }
    let cycle = 0;
    return { cycles: Int32Array.from(steps, (step) => (cycle += step)), values: Int32Array.from(values) };
  },
  /** Number of changes up to a cycle. */
  before(track, cycle) {
    let low = 0;
    let high = track.cycles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (track.cycles[middle] <= cycle) low = middle + 1;
      else high = middle;
    }
    return low;
  },
  at(track, cycle) {
    const count = tracks.before(track, cycle);
    return count > 0 ? track.values[count - 1] : -1;
  },
  /** True if there is a change or a write at the edge before a cycle. */
  changes(track, cycle) {
    const count = tracks.before(track, cycle);
    return count > 0 && track.cycles[count - 1] === cycle;
  },
  /** The cycle of the next change after a cycle; null if there is none. */
  next(track, cycle) {
    const at = tracks.before(track, cycle);
    return at < track.cycles.length ? track.cycles[at] : null;
  },
  /** The cycle of the last change before a cycle; null if there is none. */
  previous(track, cycle) {
    const at = tracks.before(track, cycle - 1);
    return at > 0 ? track.cycles[at - 1] : null;
  },
  /** A value with all tracks in it parsed. */
  readAll(value) {
    if (Array.isArray(value)) {
      return value.some((item) => typeof item !== "number") ? value.map(tracks.readAll) : tracks.read(value);
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, tracks.readAll(item)]));
  },
};
