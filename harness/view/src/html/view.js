// Steps the page through the cycles.
(() => {
  const byId = (id) => document.getElementById(id);
  const raw = JSON.parse(byId("view-data").textContent);
  const data = {
    ...raw,
    cells: raw.cells.map(tracks.readAll),
    column: raw.column.map(tracks.readAll),
    tiles: raw.tiles.map(tracks.readAll),
  };
  const { at } = tracks;
  let cycle = data.first;
  let decimal = false;
  let timer = null;
  const show = (word) => (decimal ? String((word << 16) >> 16) : word.toString(16).padStart(4, "0"));
  const moves = movesOf(data, show);

  // ---- parts of the page ----
  const slider = byId("slider");
  const selects = Object.fromEntries(
    ["cell", "tile", "word", "instruction", "speed", "format"].map((id) => [id, byId(id)]),
  );
  const units = new Map(
    Array.from(document.querySelectorAll("svg.fabric .unit"), (unit) => [
      unit.dataset.unit,
      {
        box: unit,
        says: Array.from(unit.querySelectorAll(":scope > text.says")),
        rf: Array.from(unit.querySelectorAll(".rf text.says")),
        dpu: Array.from(unit.querySelectorAll(".dpu text.says")),
        dpuBox: unit.querySelector(".dpu"),
      },
    ]),
  );
  const arrows = Array.from(document.querySelectorAll("svg.fabric .flow"), (flow) => ({
    flow,
    key: flow.dataset.flow,
    texts: Array.from(flow.querySelectorAll("text")),
  }));
  const listings = Array.from(document.querySelectorAll(".listing"), (listing) => ({
    listing,
    cell: listing.dataset.cell,
    lines: new Map(Array.from(listing.querySelectorAll("tr[data-address]"), (row) => [Number(row.dataset.address), row])),
  }));
  const listingOf = new Map(listings.map((listing) => [listing.cell, listing]));
  const mark = byId("bars-now");
  const programs = byId("programs");
  const lively = data.cells.map((cell, i) => (cell.sequencer.cycles.length > 0 || Object.keys(cell.words).length > 0 ? i : -1));
  const instruction = (i, address) => {
    const row = listingOf.get(moves.cellName(i))?.lines.get(address);
    return row ? row.querySelector("code").textContent : "";
  };
  const setText = (element, text) => {
    if (element && element.textContent !== text) element.textContent = text;
  };
  const chosenCell = () => selects.cell.selectedIndex;
  const chosenTile = () => selects.tile.selectedIndex;

  // ---- the picture ----
  const PORTS_SHOWN = [[3, "r0"], [4, "r1"], [0, "w0"], [1, "w1"], [5, "rb"], [2, "wb"]];
  const paintCell = (cell, i) => {
    const unit = units.get(moves.cellName(i));
    const { state, address } = moves.sequencer(cell, cycle);
    const name = address === null ? "" : instruction(i, address).replace(/^waits for a flag: /, "").split(" ")[0];
    setText(unit.says[0], address === null ? (state === "idle" ? "" : state) : `${address} ${name}`);
    unit.box.classList.toggle("runs", state === "RUN");
    unit.box.classList.toggle("waits", state === "WAIT");
    const ports = PORTS_SHOWN.map(([k, port]) => [port, at(cell.addresses[k], cycle)]).filter(([, a]) => a >= 0);
    unit.rf.forEach((line, k) => setText(line, ports[k] ? `${ports[k][0]} ${ports[k][1]}` : ""));
    const mode = at(cell.mode, cycle);
    // One line per word, because names are wider than the box.
    const words = mode >= 0 ? data.modes[mode].split("_") : [];
    unit.dpu.forEach((line, k) => setText(line, words[k] || ""));
    unit.dpuBox.classList.toggle("works", at(cell.operates, cycle) >= 0);
    unit.box.classList.toggle("chosen", i === chosenCell());
  };
  const paintTile = (tile, i) => {
    const unit = units.get(moves.tileName(i));
    const [read, write] = [at(tile.reads, cycle), at(tile.writes, cycle)];
    setText(unit.says[0], read >= 0 ? `reads ${read}` : "");
    setText(unit.says[1], write >= 0 ? `stores ${write}` : "");
    unit.box.classList.toggle("runs", read >= 0 || write >= 0);
    unit.box.classList.toggle("chosen", i === chosenTile());
  };
  const paintColumn = (column, c) => {
    const unit = units.get(moves.columnName(c));
    const [read, write] = [at(column.reads, cycle), at(column.writes, cycle)];
    const texts = [read >= 0 ? `in ${read}` : "", write >= 0 ? `out ${write}` : ""];
    setText(unit.says[0], texts.filter((text) => text).join(", "));
  };
  const paintFlows = () => {
    const open = moves.flows(cycle);
    for (const { flow, key, texts } of arrows) {
      const values = open.get(key);
      flow.classList.toggle("closed", values === undefined);
      flow.classList.toggle("carries", values !== undefined && values.length > 0);
      const [first = "", second = "", ...more] = values ?? [];
      const rest = more.length > 0 ? `${second} +` : second;
      if (texts.length > 1) {
        setText(texts[0], rest === "" ? "" : first);
        setText(texts[1], rest === "" ? first : rest);
      } else {
        setText(texts[0], rest === "" ? first : `${first} ${rest}`);
      }
    }
  };

  // ---- the selected units ----
  const makeTable = (table, head, rows, columns) => {
    const body = table.tBodies[0];
    body.replaceChildren();
    const cells = new Map();
    const line = body.insertRow();
    for (let k = -1; k < columns; k++) {
      const corner = document.createElement("th");
      corner.textContent = k < 0 ? head : String(k);
      line.append(corner);
    }
    for (const [name, key] of rows) {
      const row = body.insertRow();
      const first = document.createElement("th");
      first.textContent = name;
      row.append(first);
      cells.set(key, Array.from({ length: columns }, () => row.insertCell()));
    }
    return cells;
  };
  let wordCells = new Map();
  let rowCells = new Map();
  const chooseCell = () => {
    const i = chosenCell();
    const name = moves.cellName(i);
    for (const { listing, cell } of listings) listing.hidden = cell !== name;
    byId("no-program").hidden = listingOf.has(name);
    const words = Object.keys(data.cells[i].words);
    selects.word.replaceChildren(
      ...words.map((word) => new Option(`word ${word}`, `word ${word}`)),
      ...Object.keys(data.tiles[chosenTile()].rows).map((row) => new Option(`row ${row} of ${moves.tileName(chosenTile())}`, `row ${row}`)),
    );
    const lines = listingOf.get(name)?.lines ?? new Map();
    selects.instruction.replaceChildren(
      ...Array.from(lines.keys(), (address) => new Option(`${address} ${instruction(i, address)}`.slice(0, 40), String(address))),
    );
    const blocks = Array.from({ length: data.rf_words / 16 }, (_, b) => [`${16 * b}`, b]);
    wordCells = makeTable(byId("words"), "word", blocks, 16);
    wordCells.forEach((row, b) => row.forEach((cell, k) => { cell.dataset.word = String(16 * b + k); }));
    setText(byId("h-words"), `Register file of ${name}`);
    setText(byId("h-inputs"), `Inputs of ${name}`);
  };
  const chooseTile = () => {
    const rows = Object.keys(data.tiles[chosenTile()].rows);
    rowCells = makeTable(byId("rows"), "row", rows.map((row) => [row, Number(row)]), 16);
    rowCells.forEach((row, number) => row.forEach((cell) => { cell.dataset.row = String(number); }));
    chooseCell();
  };
  const paintWords = () => {
    const cell = data.cells[chosenCell()];
    const used = new Map();
    for (const k of [0, 1, 3, 4]) used.set(at(cell.addresses[k], cycle), k < 3 ? "next" : "read");
    wordCells.forEach((row, b) => {
      row.forEach((place, k) => {
        const word = 16 * b + k;
        const track = cell.words[word];
        const value = track ? at(track, cycle) : -1;
        setText(place, show(Math.max(value, 0)));
        place.className = [
          track && tracks.changes(track, cycle) && cycle > data.from ? "changed" : "",
          used.get(word) ?? "",
          `word ${word}` === selects.word.value ? "chosen" : "",
        ].filter((name) => name).join(" ");
      });
    });
  };
  const paintRows = () => {
    const tile = data.tiles[chosenTile()];
    rowCells.forEach((row, number) => {
      const track = tile.rows[number];
      const stored = at(track, cycle);
      const digits = stored >= 0 ? data.blocks[stored] : "0".repeat(64);
      const changed = tracks.changes(track, cycle) && cycle > data.from;
      const read = at(tile.reads, cycle) === number;
      row.forEach((place, k) => {
        setText(place, show(parseInt(digits.slice(4 * k, 4 * k + 4), 16)));
        place.className = changed ? "changed" : read ? "read" : "";
      });
    });
  };
  const paintInputs = () => {
    const cell = data.cells[chosenCell()];
    const body = byId("inputs").tBodies[0];
    while (body.rows.length < INPUTS.length) {
      const row = body.insertRow();
      for (let k = 0; k < 3; k++) row.insertCell();
    }
    INPUTS.forEach((input, k) => {
      const [name, from, value] = body.rows[k].cells;
      const lane = at(cell.sources[k], cycle);
      const word = at(cell.taken[k], cycle);
      setText(name, input);
      setText(from, lane < 0 ? "not connected" : `${LANES[lane & 3]} of ${moves.cellName(lane >> 2)}`);
      setText(value, word < 0 ? "" : show(word));
      body.rows[k].className = word < 0 ? "" : "changed";
    });
  };
  const paintProgram = () => {
    data.cells.forEach((cell, i) => {
      const listing = listingOf.get(moves.cellName(i));
      if (!listing) return;
      const { address } = moves.sequencer(cell, cycle);
      if (listing.current === address) return;
      listing.lines.get(listing.current)?.classList.remove("responsible");
      const row = listing.lines.get(address);
      row?.classList.add("responsible");
      listing.current = address;
      if (row && i === chosenCell()) programs.scrollTop = row.offsetTop - programs.clientHeight / 2;
    });
  };
  const paintList = () => {
    const all = moves.sentences(cycle, instruction);
    const list = byId("happens");
    const lines = all.length > 0 ? all : ["Nothing happens."];
    while (list.children.length > lines.length) list.lastChild.remove();
    while (list.children.length < lines.length) list.append(document.createElement("li"));
    lines.forEach((line, k) => setText(list.children[k], line));
  };

  const paint = () => {
    slider.value = String(cycle);
    setText(byId("slider-cycle"), String(cycle));
    data.cells.forEach(paintCell);
    data.tiles.forEach(paintTile);
    data.column.forEach(paintColumn);
    paintFlows();
    paintProgram();
    paintWords();
    paintRows();
    paintInputs();
    paintList();
    if (mark) {
      const bars = mark.ownerSVGElement;
      const x = (cycle - Number(bars.dataset.from)) * Number(bars.dataset.scale);
      mark.setAttribute("x", x);
      mark.setAttribute("visibility", "visible");
      // Keep the line visible.
      const room = bars.parentElement;
      const seen = room.clientWidth - bars.previousElementSibling.clientWidth;
      if (x < room.scrollLeft || x > room.scrollLeft + seen - 20) room.scrollLeft = x - seen / 4;
    }
  };

  // ---- moving ----
  const go = (to) => {
    cycle = Math.min(Math.max(to, data.from), data.to);
    paint();
  };
  const stop = () => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    byId("play").textContent = "\u25b6 play";
    byId("happens").setAttribute("aria-live", "polite");
  };
  const play = () => {
    if (timer !== null) return stop();
    if (cycle === data.to) cycle = data.from;
    byId("play").textContent = "\u25a0 stop";
    // A screen reader cannot follow an animation.
    byId("happens").setAttribute("aria-live", "off");
    timer = setInterval(() => (cycle === data.to ? stop() : go(cycle + 1)), 1000 / Number(selects.speed.value));
  };
  const wordTrack = () => {
    const [kind, number] = selects.word.value.split(" ");
    return kind === "word" ? data.cells[chosenCell()].words[number] : data.tiles[chosenTile()].rows[number];
  };
  const toWrite = (find) => {
    const track = wordTrack();
    const to = track ? find(track, cycle) : null;
    if (to !== null) go(to);
  };
  const toDecode = (step) => {
    const { sequencer } = data.cells[chosenCell()];
    const wanted = Number(selects.instruction.value);
    if (selects.instruction.value === "") return;
    for (let c = cycle + step; c >= data.from && c <= data.to; c += step) {
      if (at(sequencer, c) === wanted) return go(c);
    }
  };
  const stepCell = (step) => {
    const cells = lively.filter((i) => i >= 0);
    if (cells.length === 0) return;
    selects.cell.selectedIndex = cells[(cells.indexOf(chosenCell()) + step + cells.length) % cells.length];
    chooseCell();
    paint();
  };
  const setFormat = () => {
    decimal = selects.format.value === "decimal";
    paint();
  };

  // ---- events ----
  const onClick = (id, action) => byId(id).addEventListener("click", action);
  slider.addEventListener("input", () => go(Number(slider.value)));
  onClick("first", () => go(data.from));
  onClick("back", () => go(cycle - 1));
  onClick("play", play);
  onClick("on", () => go(cycle + 1));
  onClick("last", () => go(data.to));
  onClick("word-on", () => toWrite(tracks.next));
  onClick("word-back", () => toWrite(tracks.previous));
  onClick("decode-on", () => toDecode(1));
  onClick("decode-back", () => toDecode(-1));
  selects.cell.addEventListener("change", () => { chooseCell(); paint(); });
  selects.tile.addEventListener("change", () => { chooseTile(); paint(); });
  selects.word.addEventListener("change", paint);
  selects.format.addEventListener("change", setFormat);
  selects.speed.addEventListener("change", () => { if (timer !== null) { stop(); play(); } });
  for (const [name, { box }] of units) {
    box.addEventListener("click", () => {
      const [select, choose] = name.startsWith("cell") ? [selects.cell, chooseCell] : [selects.tile, chooseTile];
      if (name.startsWith("col")) return;
      select.value = name;
      choose();
      paint();
    });
  }
  byId("words").addEventListener("click", ({ target }) => {
    const track = data.cells[chosenCell()].words[target.dataset.word];
    if (!track) return;
    selects.word.value = `word ${target.dataset.word}`;
    toWrite(tracks.next);
    paint();
  });
  byId("rows").addEventListener("click", ({ target }) => {
    if (target.dataset.row === undefined) return;
    selects.word.value = `row ${target.dataset.row}`;
    toWrite(tracks.next);
    paint();
  });
  for (const { lines } of listings) {
    lines.forEach((row, address) => row.addEventListener("click", () => {
      selects.instruction.value = String(address);
      toDecode(1);
    }));
  }
  if (mark) {
    mark.ownerSVGElement.addEventListener("click", (event) => {
      const { dataset } = mark.ownerSVGElement;
      const box = mark.ownerSVGElement.getBoundingClientRect();
      go(Number(dataset.from) + Math.floor((event.clientX - box.left) / Number(dataset.scale)));
    });
  }
  const keys = {
    ArrowLeft: (event) => go(cycle - (event.shiftKey ? 10 : 1)),
    ArrowRight: (event) => go(cycle + (event.shiftKey ? 10 : 1)),
    Home: () => go(data.from),
    End: () => go(data.to),
    " ": play,
    w: () => toWrite(tracks.next),
    W: () => toWrite(tracks.previous),
    d: () => toDecode(1),
    D: () => toDecode(-1),
    c: () => stepCell(1),
    C: () => stepCell(-1),
    x: () => { selects.format.value = decimal ? "hex" : "decimal"; setFormat(); },
  };
  document.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    const busy = event.target.closest("select") || (event.key === " " && event.target.closest("button, summary"));
    if (!action || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action(event);
  });

  // ---- start ----
  selects.cell.selectedIndex = Math.max(0, lively.findIndex((i) => i >= 0));
  const filled = data.tiles.findIndex((tile) => Object.keys(tile.rows).length > 0);
  selects.tile.selectedIndex = Math.max(0, filled);
  chooseTile();
  document.body.classList.add("live");
  paint();
})();
