// The state of a cell, and the origin of its words, as texts. An entry of a list has a text and, if it leads to
// another place, the cycle, the instruction or the word to select.
const stateOf = (data, moves, show) => {
  const { at, before } = tracks;
  const { cellName } = moves;
  /** The value of a register that is 0 unless its track says otherwise. */
  const held = (track, cycle) => (track.cycles.length > 0 ? at(track, cycle) : 0);
  /** An instruction with its address and, if known, its line. */
  const instruction = (i, address, withLine = true) => {
    const [short = "", line = 0] = data.code[i]?.[address] ?? [];
    return `${address} ${short}${line > 0 && withLine ? ` (line ${line})` : ""}`;
  };
  const spans = new Map(data.spans.map(({ unit, part, spans: flat }) => {
    const all = [];
    let decode = 0;
    for (let k = 0; k < flat.length; k += 5) {
      decode += flat[k + 2];
      const from = decode + flat[k + 3];
      all.push({ cell: flat[k], address: flat[k + 1], decode, from, to: from + flat[k + 4] - 1 });
    }
    return [`${unit} ${part}`, all];
  }));
  /** The spans of a part that overlap a range of cycles. */
  const spansIn = (unit, part, from, to) => {
    const all = spans.get(`${unit} ${part}`) ?? [];
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle].to < from) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < all.length && all[end].from <= to) end += 1;
    return all.slice(low, end);
  };
  const spanAt = (unit, part, cycle) => spansIn(unit, part, cycle, cycle)[0];
  /** Ranges of cycles, within a range, in which a track has a value. */
  const runs = (track, from, to) => {
    const all = [];
    for (let n = Math.max(before(track, from) - 1, 0); n < track.cycles.length && track.cycles[n] <= to; n++) {
      const end = n + 1 < track.cycles.length ? track.cycles[n + 1] - 1 : to;
      if (track.values[n] >= 0 && end >= from) {
        all.push([Math.max(track.cycles[n], from), Math.min(end, to), track.values[n]]);
      }
    }
    return all;
  };
  const sum = (ranges) => ranges.reduce((all, [from, to]) => all + to - from + 1, 0);

  /** The position of an address generator in its pattern. */
  const phase = (i, k, cycle) => {
    const span = spanAt(cellName(i), PORTS[k], cycle);
    const pattern = data.patterns[at(data.cells[i].patterns[k], cycle)];
    if (!span || !pattern) return "";
    const [inner, rows] = [pattern[2] + 1, pattern[5] + 1];
    const track = data.cells[i].addresses[k];
    const count = sum(runs(track, span.from, cycle));
    const all = `${inner * rows} from ${pattern[0]}`;
    if (at(track, cycle) < 0) return count === 0 ? `initial delay, then ${all}` : `pause after address ${count} of ${all}`;
    const row = `, ${((count - 1) % inner) + 1} of ${inner} in row ${Math.floor((count - 1) / inner) + 1} of ${rows}`;
    return `address ${count} of ${all}${rows > 1 ? row : ""}`;
  };
  /** The source of an input in a cycle. */
  const source = (i, input, cycle) => {
    const lane = at(data.cells[i].sources[input], cycle);
    return lane < 0 ? "not connected" : `${LANES[lane & 3]}${lane >> 2 === i ? "" : ` of ${cellName(lane >> 2)}`}`;
  };
  /** The operations of a DPU whose results form its output in the cycle after this one, as entries. */
  const operations = (i, cycle) => {
    const cell = data.cells[i];
    const mode = at(cell.mode, cycle);
    if (mode < 0) return [];
    const [counts, ...channels] = data.modeInfo[mode];
    const n = before(cell.count, cycle);
    // Of a long group, the last operands are shown.
    const start = counts && n > 0 ? cell.count.cycles[n - 1] : data.from;
    const first = Math.max(start, cycle - 1000);
    const cycles = runs(cell.operates, first, cycle).flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, k) => from + k));
    const shown = cycles.slice(counts ? -64 : -1);
    const sign = { mac: " x ", mult: " x ", add: " + ", subt: " - " }[data.modes[mode]] ?? ", ";
    const connected = channels.filter((names) => names.some((name) => INPUTS.includes(name) && at(cell.sources[INPUTS.indexOf(name)], cycle) >= 0));
    const pair = (c) => (connected.length > 0 ? connected : channels).map((names) => names
      .map((name) => INPUTS.indexOf(name))
      .filter((input) => input >= 0)
      .map((input) => show(Math.max(at(cell.taken[input], c), 0)) + (moves.starved(i, input, c) ? " (nothing read)" : ""))
      .join(sign)).filter((text) => text).join("; ");
    const k0 = cycles.length - shown.length;
    return shown.map((c, k) => ({ text: `${counts && first === start ? `k=${k0 + k}: ` : ""}${pair(c)}`, cycle: c }));
  };
  /** The instruction in force in a part. */
  const by = (unit, part, cycle) => spansIn(unit, part, cycle, cycle)
    .map(({ cell, address, decode }) => ({ text: `by ${instruction(cell, address)} of ${cellName(cell)}, decoded in`, cycle: decode, cell, address }));
  /** The last write of a row of a memory up to a cycle. */
  const rowOrigin = (i, row, cycle) => {
    const { cycles } = data.tiles[i].rows[row];
    const stored = cycles[before(data.tiles[i].rows[row], cycle) - 1] - 1;
    const name = moves.tileName(i);
    if (!(stored >= data.from)) return [{ text: `row ${row} of ${name}: not written in the cycles shown up to here` }];
    return [{ text: `row ${row} of ${name}: stored at the end of`, cycle: stored }, ...by(name, "writes", stored)];
  };
  /** The last write of a word up to a cycle: who wrote it, and from what. */
  const origin = (i, word, cycle) => {
    const cell = data.cells[i];
    const name = cellName(i);
    const track = cell.words[word];
    const n = track ? before(track, cycle) : 0;
    const value = n > 0 ? track.values[n - 1] : 0;
    const head = `word ${word} of ${name} is ${show(value)}: `;
    if (n === 0 || track.cycles[n - 1] <= data.from) return [{ text: `${head}not written in the cycles shown up to here` }];
    const stored = track.cycles[n - 1] - 1;
    const took = at(cell.took, stored);
    const writes = [
      took >= 0 && at(cell.addresses[2], stored) === word >> 4 && parseInt(data.blocks[took].slice(4 * (word & 15), 4 * (word & 15) + 4), 16) === value,
      at(cell.addresses[0], stored) === word,
      at(cell.addresses[1], stored) === word,
    ];
    const k = [2, 0, 1].find((_, which) => writes[which]);
    if (k === undefined) return [{ text: `${head}stored by PERM or the initialisation port at the end of`, cycle: stored }];
    const written = [{ text: `${head}stored through ${PORTS[k]} at the end of`, cycle: stored }, ...by(name, PORTS[k], stored)];
    if (k === 2) return [...written, { text: "from a block of the column" }];
    const lane = at(cell.sources[k], stored);
    const other = lane >> 2;
    written.push({ text: `from ${source(i, k, stored)}` }, ...by(name, `to ${INPUTS[k]}`, stored));
    if (lane < 0) return written;
    if ((lane & 3) >= 2) {
      const mode = at(data.cells[other].mode, stored - 1);
      return [...written, { text: `operands of the DPU of ${cellName(other)}${mode >= 0 ? `, ${data.modes[mode]}` : ""}` }, ...operations(other, stored - 1)];
    }
    const read = at(data.cells[other].addresses[3 + (lane & 3)], stored);
    return [...written, read < 0 ? { text: "which reads nothing: 0" } : { text: `which reads word ${read}`, cycle: stored, cell: other, word: read }];
  };
  /** The current iteration of each active loop, with the cycles in which the parts of the cell are busy. */
  const loops = (i, cycle) => data.cells[i].loops.flatMap((track, slot) => {
    const value = at(track, cycle);
    if (value < 0) return [];
    const [count, iterations, end, start] = [0, 6, 12, 18].map((bit) => (value >> bit) & 63);
    const from = track.cycles[before(track, cycle) - 1];
    const next = tracks.next(track, cycle);
    const to = next === null ? data.to : next - 1;
    const cell = data.cells[i];
    const decodes = runs(cell.sequencer, from, to).filter(([, , value]) => value < LOAD);
    const covered = (part) => sum(spansIn(cellName(i), part, from, to).map((s) => [Math.max(s.from, from), Math.min(s.to, to)]));
    const busy = [["sequencer", sum(decodes)], ["DPU", sum(runs(cell.operates, from, to))], ...PORTS.map((part) => [part, covered(part)])]
      .filter(([, cycles]) => cycles > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([part, cycles]) => `${part} ${cycles}`);
    return [
      [`loop ${slot}`, `iteration ${count + 1} of ${iterations}, addresses ${start} to ${end}`],
      ["", `this iteration: cycles ${from} to ${to} (${to - from + 1}); busy: ${busy.join(", ")}`],
    ];
  });
  /** The registers of a cell: names and values. */
  const registers = (i, cycle) => {
    const cell = data.cells[i];
    const raccu = cell.raccu.flatMap((track, r) => (track.cycles.length > 0 ? [`R${r} ${held(track, cycle)}`] : []));
    const n = before(cell.count, cycle);
    const count = n > 0 ? (cell.count.values[n - 1] + cycle - cell.count.cycles[n - 1]) & 255 : cycle & 255;
    const [acc0, acc1] = cell.acc.map((track) => held(track, cycle));
    const [ir0, ir1] = cell.ir.map((track) => show(held(track, cycle)));
    const mode = at(cell.mode, cycle);
    return [
      ["RACCU", `${raccu.join(", ")}${raccu.length > 0 ? "; " : ""}${raccu.length < 16 ? `${raccu.length > 0 ? "other" : "all"} registers 0` : ""}`],
      ...loops(i, cycle),
      ["DPU", `${mode >= 0 ? data.modes[mode] : "idle"}; acc0 ${acc0}, acc1 ${acc1}, acc_cnt ${count}; ir0 ${ir0}, ir1 ${ir1}; compare status ${["less", "greater", "equal"][held(cell.status, cycle)]}`],
    ];
  };
  return { instruction, spansIn, runs, phase, source, operations, origin, rowOrigin, registers, spanAt };
};
