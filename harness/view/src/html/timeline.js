// The timeline: a bar for each instruction in force, in a window of cycles that follows the current cycle.
const timelineOf = (data, state, moves) => {
  const HEIGHT = 15;
  const TOP = 20;
  const ZOOMS = [1, 2, 4, 7, 10, 14, 20, 32, 60];
  const byId = (id) => document.getElementById(id);
  const [names, chart] = [byId("bar-names"), byId("bar-chart")];
  const [bars, now] = [chart.querySelector("g"), chart.querySelector(".now")];
  const room = chart.parentElement;
  const [begin, end] = ["from", "to"].map((key) => Number(byId("overview").dataset[key]));
  const parts = Array.from(document.querySelectorAll("#overview .part-name"), ({ dataset, textContent }) => ({ unit: dataset.unit, part: textContent }));
  const unitOf = new Map([
    ...data.cells.map((cell, i) => [moves.cellName(i), cell]),
    ...data.tiles.map((tile, i) => [moves.tileName(i), tile]),
    ...data.column.map((column, c) => [moves.columnName(c), column]),
  ]);
  const cellOf = new Map(data.cells.map((_, i) => [moves.cellName(i), i]));
  let rows = parts;
  let [start, count, width, px] = [0, 0, 0, 0];

  /** The track of the cycles in which a part is active. */
  const active = (unit, part) => {
    const [port, input] = [PORTS.indexOf(part), INPUTS.indexOf(part.slice(3))];
    if (part === "DPU") return unit.operates;
    return port >= 0 ? unit.addresses[port] : input >= 0 ? unit.taken[input] : unit[part];
  };
  const kind = (part) => (/^r/.test(part) ? "reads" : /^w/.test(part) ? "writes" : part === "DPU" ? "works" : "path");
  const X = (cycle) => (cycle - start) * px;
  const bar = (y, from, to, name, label, title, attributes = "") => {
    const [left, right] = [Math.max(X(from), 0), Math.min(X(to + 1), width)];
    const letters = Math.floor((right - left - 3) / 5.5);
    const [number] = label.split(" ");
    const text = label.length <= letters ? label : letters >= 5 ? `${label.slice(0, letters - 1)}\u2026` : number.length <= letters ? number : "";
    return `<g class="bar-of ${name}" ${attributes}><title>${plain(title)}</title><rect x="${left}" y="${y + 2}" width="${Math.max(right - left, 1)}" height="${HEIGHT - 4}"/>`
      + (text ? `<text x="${left + 2}" y="${y + 10}">${plain(text)}</text>` : "") + "</g>";
  };
  const cycles = (from, to) => (from === to ? `in cycle ${from}` : `in cycles ${from} to ${to}`);
  const drawPart = ({ unit, part }, y, last) => {
    const owner = unitOf.get(unit);
    const i = cellOf.get(unit);
    if (part === "sequencer") {
      return state.runs(owner.sequencer, start, last).map(([from, to, value]) => {
        if (value === LOAD) return bar(y, from, to, "loads", "LOAD", `stores its program ${cycles(from, to)}`);
        const address = value % HOLD;
        const what = value >= HOLD ? "held by" : "decodes";
        return bar(y, from, to, value >= HOLD ? "waits" : "works", state.instruction(i, address, false), `${what} ${state.instruction(i, address)} ${cycles(from, to)}`, `data-cell="${i}" data-address="${address}" data-cycle="${from}"`);
      }).join("");
    }
    if (part === "messages") {
      const sent = owner.messages ? [[owner.messages, data.kinds]] : owner.arrivals.map((track) => [track, data.arrivals]);
      return sent.flatMap(([track, texts]) => state.runs(track, start, last)
        .map(([from, to, value]) => bar(y, from, to, "message", texts[value], `${texts[value]} ${cycles(from, to)}`))).join("");
    }
    const strip = active(owner, part);
    const works = (strip?.cycles ? state.runs(strip, start, last) : []).map(([from, to]) => `M${X(from)} ${y + HEIGHT - 3}H${X(to + 1)}`).join("");
    return state.spansIn(unit, part, start, last).map(({ cell, address, decode, from, to }) => {
      const title = `${state.instruction(cell, address)} of ${moves.cellName(cell)}: decoded in cycle ${decode}, in force ${cycles(from, to)}`;
      const mark = decode >= start ? `<path class="decode" d="M${X(decode)} ${y + 2}v${HEIGHT - 4}m0 -${HEIGHT / 2 - 2}H${X(from)}"/>` : "";
      return mark + bar(y, from, to, kind(part), state.instruction(cell, address, false), title, `data-cell="${cell}" data-address="${address}" data-cycle="${decode}"`);
    }).join("") + (works ? `<path class="strip ${kind(part)}" d="${works}"/>` : "");
  };
  const drawMarks = (last) => {
    const place = (unit, part) => {
      const exact = rows.findIndex((row) => row.unit === unit && row.part === part);
      return exact >= 0 ? exact : rows.findIndex((row) => row.unit === unit);
    };
    const mark = (cycle, row, text) => (row < 0 ? "" : `<path class="mark" data-cycle="${cycle}" d="M${X(cycle)} ${TOP + row * HEIGHT}h9l-4.5 8z"><title>${plain(text)}</title></path>`);
    const lost = Object.entries(data.lost).map(([unit, track]) => state.runs(track, start, last)
      .map(([from, , n]) => mark(from, place(unit, ""), `LOST in ${unit}: ${n}, cycle ${from}`)));
    const found = data.marks.filter(({ cycle }) => cycle >= start && cycle <= last)
      .map(({ cycle, unit, port, text }) => mark(cycle, place(unit, port), `cycle ${cycle}: ${text}`));
    return [...lost.flat(), ...found].join("");
  };
  const draw = () => {
    const last = Math.min(start + count - 1, data.to);
    const height = TOP + rows.length * HEIGHT + 4;
    let step = 5;
    while (step * px < 56) step *= step % 4 === 0 ? 2.5 : 2;
    let text = "";
    for (let c = Math.ceil(start / step) * step; c <= last; c += step) {
      text += `<text class="tick" x="${X(c) + 2}" y="12">${c}</text><path class="grid" d="M${X(c)} 4V${height}"/>`;
    }
    rows.forEach((row, k) => { text += drawPart(row, TOP + k * HEIGHT, last); });
    bars.innerHTML = text + drawMarks(last);
    chart.setAttribute("width", width);
    for (const svg of [names, chart]) svg.setAttribute("height", height);
    now.setAttribute("height", height);
    now.setAttribute("width", Math.max(px, 2));
    names.innerHTML = rows.map(({ unit, part }, k) => {
      const first = k === 0 || rows[k - 1].unit !== unit;
      const y = TOP + k * HEIGHT;
      return `${first ? `<text class="unit-name" x="2" y="${y + 11}">${unit}</text><path class="grid" d="M0 ${y}H200"/>` : ""}<text class="part-name" x="142" y="${y + 11}">${plain(part)}</text>`;
    }).join("");
  };
  /** Shows a cycle; draws only if the window changes. */
  const paint = (cycle, force = false) => {
    if (width === 0 || force || cycle < start || cycle >= start + count) {
      const [whole, wide] = [end - begin + 1, Math.max(room.clientWidth - 150, 120)];
      if (px === 0) px = Math.max(ZOOMS.findLast((zoom) => zoom * whole <= wide) ?? 0, 7);
      [width, count] = [wide, Math.max(Math.floor(wide / px), 1)];
      const fits = count >= whole && cycle >= begin && cycle <= end;
      if (fits) start = begin;
      else if (cycle < start || cycle >= start + count || force) start = Math.max(Math.min(cycle - (count >> 2), data.to - count + 1), data.from);
      draw();
    }
    now.setAttribute("x", X(cycle));
  };
  const zoom = (step, cycle) => {
    px = ZOOMS[Math.min(Math.max(ZOOMS.indexOf(px) + step, 0), ZOOMS.length - 1)];
    paint(cycle, true);
  };
  const only = (unit, cycle) => {
    rows = unit === null ? parts : parts.filter((row) => row.unit === unit);
    paint(cycle, true);
  };
  const cycleAt = (x) => start + Math.floor((x - chart.getBoundingClientRect().left) / px);
  return { paint, zoom, only, cycleAt, chart };
};
