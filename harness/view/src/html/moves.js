// The events of a cycle: the open paths and the values that move on them, as data and as sentences.
const INPUTS = ["w0", "w1", "in0", "in1", "in2", "in3"];
const LANES = ["r0", "r1", "out0", "out1"];
const PORTS = ["w0", "w1", "wb", "r0", "r1", "rb"];
const SIDES = ["N", "S", "E", "W"];
const LOAD = 64;
const HOLD = 128;

/** A text as HTML. */
const plain = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The names and activities of the units of a fabric. `show` turns a word into text. */
const movesOf = (data, show) => {
  const { at } = tracks;
  const columns = data.columns;
  const cellName = (i) => `cell[${Math.floor(i / columns)}][${i % columns}]`;
  const tileName = (i) => `tile[${Math.floor(i / columns) + 1}][${i % columns}]`;
  const columnName = (c) => `col[${c}]`;
  const block = (number) => `${show(parseInt(data.blocks[number].slice(0, 4), 16))}..`;
  const neighbour = (tile, side) => {
    const column = tile % columns;
    if (side === 0) return tile + columns < data.tiles.length ? tileName(tile + columns) : null;
    if (side === 1) return tile >= columns ? tileName(tile - columns) : columnName(column);
    if (side === 2) return column + 1 < columns ? tileName(tile + 1) : null;
    return column > 0 ? tileName(tile - 1) : null;
  };

  /** True if an input takes a word from a read port that reads nothing. */
  const starved = (i, input, cycle) => {
    const lane = at(data.cells[i].sources[input], cycle);
    return at(data.cells[i].taken[input], cycle) >= 0 && lane >= 0 && (lane & 3) < 2 && at(data.cells[lane >> 2].addresses[3 + (lane & 3)], cycle) < 0;
  };

  /** Paths that are open in a cycle, each with the values that move on it. */
  const flows = (cycle) => {
    const found = new Map();
    const open = (from, to) => {
      const key = `${from}>${to}`;
      if (!found.has(key)) found.set(key, []);
      return found.get(key);
    };
    data.cells.forEach((cell, i) => {
      const name = cellName(i);
      const column = columnName(i % columns);
      cell.sources.forEach((source, input) => {
        const lane = at(source, cycle);
        if (lane < 0) return;
        const other = lane >> 2;
        const way = open(`${cellName(other)}.${LANES[lane & 3]}`, `${name}.${INPUTS[input]}`);
        const word = at(cell.taken[input], cycle);
        if (word < 0) return;
        way.push(show(word));
        way.starved = starved(i, input, cycle);
      });
      const read = at(cell.read, cycle);
      if (read >= 0) open(`${name}.rb`, column).push(block(read));
      const took = at(cell.took, cycle);
      if (took >= 0) open(column, `${name}.wb`).push(block(took));
      const kind = at(cell.messages, cycle);
      if (kind >= 0) open(name, column).push(data.kinds[kind]);
    });
    data.tiles.forEach((tile, i) => {
      tile.crossbar.forEach((source, output) => {
        const side = at(source, cycle);
        const from = side >= 0 && side < 4 ? neighbour(i, side) : null;
        if (from === null) return;
        const way = open(from, tileName(i));
        const number = at(tile.entering[output], cycle);
        if (number >= 0 && !way.includes(block(number))) way.push(block(number));
      });
      tile.arrivals.forEach((arrivals, side) => {
        const arrival = at(arrivals, cycle);
        if (arrival >= 0) open(neighbour(i, side), tileName(i)).push(data.arrivals[arrival].split(" ")[1]);
      });
      if (i < columns && at(tile.crossbar[1], cycle) >= 0) {
        const way = open(tileName(i), columnName(i));
        const number = at(tile.entering[1], cycle - 1);
        if (number >= 0) way.push(block(number));
      }
    });
    return found;
  };

  /** The activity of a sequencer: state, address. */
  const sequencer = (cell, cycle) => {
    const value = at(cell.sequencer, cycle);
    if (value < 0) return { state: "idle", address: null };
    if (value === LOAD) return { state: "LOAD", address: null };
    return value >= HOLD ? { state: "WAIT", address: value - HOLD } : { state: "RUN", address: value };
  };

  const lost = (name, cycle) => {
    const count = data.lost[name] ? at(data.lost[name], cycle) : 0;
    return count > 0 ? [`LOST in ${name}: ${count === 1 ? "a configuration or message" : `${count} configurations or messages`}`] : [];
  };

  /** Sentences about a cell. */
  const ofCell = (i, cycle, instruction) => {
    const cell = data.cells[i];
    const name = cellName(i);
    const all = lost(name, cycle);
    const { state, address } = sequencer(cell, cycle);
    if (state === "RUN") all.push(`${name} decodes ${instruction(i, address)}`);
    if (state === "WAIT") all.push(`${name} waits at ${instruction(i, address)}`);
    if (state === "LOAD") all.push(`${name} loads its program`);
    cell.taken.forEach((taken, input) => {
      const word = at(taken, cycle);
      if (word < 0) return;
      const lane = at(cell.sources[input], cycle);
      const other = lane >> 2;
      const from = other === i ? "" : ` of ${cellName(other)}`;
      const port = lane & 3;
      const read = port < 2 ? at(data.cells[other].addresses[3 + port], cycle) : -1;
      const place = read >= 0 ? `, word ${read},` : port < 2 ? ", which reads nothing," : "";
      const write = input < 2 ? at(cell.addresses[input], cycle) : -1;
      const into = write >= 0 ? `, word ${write}` : "";
      all.push(`${show(word)} from ${LANES[port]}${from}${place} to ${INPUTS[input]} of ${name}${into}`);
    });
    if (at(cell.operates, cycle) >= 0) all.push(`DPU of ${name}: ${data.modes[at(cell.mode, cycle)]}`);
    const kind = at(cell.messages, cycle);
    if (kind >= 0) all.push(`${name} sends ${data.kinds[kind]}`);
    for (const [track, port, verb] of [[cell.read, 5, "reads"], [cell.took, 2, "takes"]]) {
      const number = at(track, cycle);
      if (number >= 0) all.push(`${name} ${verb} block ${at(cell.addresses[port], cycle)}: ${block(number)}`);
    }
    return all;
  };

  /** Sentences about a tile. */
  const ofTile = (i, cycle) => {
    const tile = data.tiles[i];
    const name = tileName(i);
    const all = lost(name, cycle);
    const read = at(tile.reads, cycle);
    if (read >= 0) all.push(`${name} reads row ${read}`);
    const row = at(tile.writes, cycle);
    if (row >= 0) all.push(`${name} stores row ${row}`);
    const blocks = new Set(tile.entering.map((track) => at(track, cycle)).filter((number) => number >= 0));
    for (const number of blocks) all.push(`${block(number)} enters ${name}`);
    tile.arrivals.forEach((arrivals, side) => {
      const arrival = at(arrivals, cycle);
      if (arrival >= 0) all.push(`${name}, side ${SIDES[side]}: ${data.arrivals[arrival]}`);
    });
    return all;
  };

  /** Sentences about a column. */
  const ofColumn = (c, cycle) => {
    const column = data.column[c];
    const all = lost(columnName(c), cycle);
    const read = at(column.reads, cycle);
    if (read >= 0) all.push(`${columnName(c)} requests block ${read} of the input buffer`);
    const write = at(column.writes, cycle);
    if (write >= 0) all.push(`${columnName(c)} writes block ${write} of the output buffer`);
    return all;
  };

  /** All events of a cycle, as sentences. */
  const sentences = (cycle, instruction) => [
    ...data.cells.flatMap((_, i) => ofCell(i, cycle, instruction)),
    ...data.column.flatMap((_, c) => ofColumn(c, cycle)),
    ...data.tiles.flatMap((_, i) => ofTile(i, cycle)),
  ];

  return { cellName, tileName, columnName, flows, sequencer, sentences, starved, lost };
};
