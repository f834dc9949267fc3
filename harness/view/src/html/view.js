// Steps the page through the cycles.
(() => {
  const byId = (id) => document.getElementById(id);
  const raw = JSON.parse(byId("view-data").textContent);
  const data = {
    ...raw,
    cells: raw.cells.map(tracks.readAll),
    column: raw.column.map(tracks.readAll),
    tiles: raw.tiles.map(tracks.readAll),
    lost: tracks.readAll(raw.lost),
  };
  const { at } = tracks;
  // Characters of an instruction that fit into the box of a cell.
  const LINE = 27;
  let cycle = data.first;
  /** Address of the selected instruction. */
  let chosen = null;
  let [timer, addressTimer] = [null, null];
  const format = byId("format");
  const show = (word) => (format.value === "decimal" ? String((word << 16) >> 16) : word.toString(16).padStart(4, "0"));
  const moves = movesOf(data, show);
  const state = stateOf(data, moves, show);
  const timeline = byId("overview") ? timelineOf(data, state, moves) : null;

  // ---- parts of the page ----
  const slider = byId("slider");
  const selects = Object.fromEntries(
    ["cell", "tile", "word", "speed"].map((id) => [id, byId(id)]),
  );
  const pictures = Array.from(byId("pictures").querySelectorAll(".wide"));
  let [units, arrows] = [new Map(), []];
  /** Takes the parts of the picture that is shown. */
  const bindPicture = () => {
    const picture = pictures.find((one) => !one.hidden);
    const texts = (element, selector) => Array.from(element.querySelectorAll(selector));
    units = new Map(texts(picture, ".unit").map((box) => [
      box.dataset.unit,
      { box, says: texts(box, ".says"), values: texts(box, ".value"), mode: box.querySelector(".dpu .mode"), dpu: box.querySelector(".dpu") },
    ]));
    arrows = texts(picture, ".flow").map((flow) => ({ flow, key: flow.dataset.flow, text: flow.lastElementChild }));
  };
  const listings = Array.from(document.querySelectorAll(".listing"), (listing) => ({
    listing,
    lines: new Map(Array.from(listing.querySelectorAll("tr[data-address]"), (row) => [Number(row.dataset.address), row])),
  }));
  const listingOf = new Map(listings.map((one) => [one.listing.dataset.cell, one]));
  const programs = byId("programs");
  const lively = [...data.cells.keys()].filter((i) => data.cells[i].sequencer.cycles.length > 0 || Object.keys(data.cells[i].words).length > 0);
  const setText = (element, text) => {
    if (element && element.textContent !== text) element.textContent = text;
  };
  const wordAt = (cell, word) => (cell.words[word] ? Math.max(at(cell.words[word], cycle), 0) : 0);
  const chosenCell = () => selects.cell.selectedIndex;
  const chosenTile = () => selects.tile.selectedIndex;

  // ---- the picture ----
  const PORTS_SHOWN = [3, 4, 0, 1, 5, 2];
  const paintCell = (cell, i) => {
    const unit = units.get(moves.cellName(i));
    if (!unit) return;
    const { state: activity, address } = moves.sequencer(cell, cycle);
    const text = address === null ? (activity === "idle" ? "" : activity) : state.instruction(i, address, false);
    setText(unit.says[0], text.length > LINE ? `${text.slice(0, LINE - 1)}\u2026` : text);
    unit.box.classList.toggle("runs", activity === "RUN");
    unit.box.classList.toggle("waits", activity === "WAIT");
    PORTS_SHOWN.forEach((k, row) => {
      const address = at(cell.addresses[k], cycle);
      setText(unit.says[row + 1], address >= 0 ? String(address) : "");
      if (row < 2) setText(unit.values[row], address >= 0 ? show(wordAt(cell, address)) : "");
    });
    const mode = at(cell.mode, cycle);
    setText(unit.mode, mode >= 0 ? data.modes[mode] : "DPU");
    unit.dpu.classList.toggle("works", at(cell.operates, cycle) >= 0);
    unit.box.classList.toggle("chosen", i === chosenCell());
  };
  const paintTile = (tile, i) => {
    const unit = units.get(moves.tileName(i));
    if (!unit) return;
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
    setText(unit?.says[0], texts.filter((text) => text).join(", "));
  };
  const paintFlows = () => {
    const open = moves.flows(cycle);
    for (const { flow, key, text } of arrows) {
      const values = open.get(key);
      flow.classList.toggle("closed", values === undefined);
      flow.classList.toggle("carries", values !== undefined && values.length > 0);
      flow.classList.toggle("starved", values?.starved === true);
      const [first = "", second = "", ...more] = values ?? [];
      setText(text, `${first} ${second}${more.length > 0 ? "+" : ""}`.trim());
    }
  };

  // ---- the selected units ----
  /** Replaces the content of an element, unless it is the same. */
  const drawn = new Map();
  const draw = (id, text) => {
    if (drawn.get(id) !== text) byId(id).innerHTML = text;
    drawn.set(id, text);
  };
  const memory = (id, head, rows, place) => {
    const numbers = Array.from({ length: 16 }, (_, k) => k);
    const row = ([name, key]) => `<tr><th>${name}</th>${numbers.map((k) => place(key, k)).join("")}</tr>`;
    draw(id, `<tr><th>${head}</th>${numbers.map((k) => `<th>${k}</th>`).join("")}</tr>${rows.map(row).join("")}`);
  };
  const chooseCell = () => {
    const i = chosenCell();
    const name = moves.cellName(i);
    for (const { listing } of listings) listing.hidden = listing.dataset.cell !== name;
    byId("no-program").hidden = listingOf.has(name);
    const words = Object.keys(data.cells[i].words);
    selects.word.replaceChildren(
      ...words.map((word) => new Option(`word ${word}`, `word ${word}`)),
      ...Object.keys(data.tiles[chosenTile()].rows).map((row) => new Option(`row ${row} of ${moves.tileName(chosenTile())}`, `row ${row}`)),
    );
    [chosen = null] = listingOf.get(name)?.lines.keys() ?? [];
    setText(byId("h-words"), `Register file of ${name}`);
    setText(byId("h-state"), `State of ${name}`);
    if (byId("only")?.checked) timeline.only(name, cycle);
  };
  const paintWords = () => {
    const cell = data.cells[chosenCell()];
    const used = new Map([0, 1, 3, 4].map((k) => [at(cell.addresses[k], cycle), k < 3 ? "next" : "read"]));
    const blocks = Array.from({ length: data.rf_words / 16 }, (_, b) => [16 * b, b]);
    memory("words", "word", blocks, (b, k) => {
      const word = 16 * b + k;
      const track = cell.words[word];
      const changed = track && tracks.changes(track, cycle) && cycle > data.from ? "changed" : "";
      const chosen = `word ${word}` === selects.word.value ? "chosen" : "";
      return `<td data-word="${word}" class="${changed} ${used.get(word) ?? ""} ${chosen}">${show(wordAt(cell, word))}</td>`;
    });
  };
  const paintRows = () => {
    const tile = data.tiles[chosenTile()];
    byId("h-rows").closest(".card").hidden = data.tiles.every((one) => Object.keys(one.rows).length === 0);
    memory("rows", "row", Object.keys(tile.rows).map((row) => [row, row]), (row, k) => {
      const track = tile.rows[row];
      const stored = at(track, cycle);
      const changed = tracks.changes(track, cycle) && cycle > data.from;
      const name = changed ? "changed" : at(tile.reads, cycle) === Number(row) ? "read" : "";
      const word = stored >= 0 ? parseInt(data.blocks[stored].slice(4 * k, 4 * k + 4), 16) : 0;
      return `<td data-row="${row}" class="${name}">${show(word)}</td>`;
    });
  };
  const table = (id, rows) => draw(id, rows.map((row) => `<tr>${row.map((text) => `<td>${plain(text)}</td>`).join("")}</tr>`).join(""));
  const list = (id, entries) => draw(id, entries.map(({ text, ...place }) => {
    const data = Object.entries(place).map(([key, value]) => `data-${key}="${value}"`).join(" ");
    return `<li>${plain(text)}${data ? ` <button type="button" ${data}>cycle ${place.cycle}</button>` : ""}</li>`;
  }).join(""));
  const paintState = () => {
    const i = chosenCell();
    const cell = data.cells[i];
    table("registers", state.registers(i, cycle));
    const ports = [...PORTS_SHOWN.map((k) => PORTS[k]), ...INPUTS.slice(2)].map((port) => {
      const [k, input] = [PORTS.indexOf(port), INPUTS.indexOf(port)];
      const address = k < 0 ? -1 : at(cell.addresses[k], cycle);
      const word = input < 0 ? (address >= 0 && k < 5 ? wordAt(cell, address) : -1) : at(cell.taken[input], cycle);
      const span = state.spanAt(moves.cellName(i), port, cycle);
      const from = input < 0 || at(cell.sources[input], cycle) < 0 ? "" : `from ${state.source(i, input, cycle)}`;
      const by = span ? `${state.instruction(span.cell, span.address)}${k < 0 ? "" : `: ${state.phase(i, k, cycle)}`}` : "";
      return [port, address < 0 ? "" : String(address), word < 0 ? "" : show(word), from, by];
    });
    table("ports", ports.filter((row) => row.slice(1).some((text) => text !== "")));
    list("operands", at(cell.mode, cycle) < 0 ? [] : state.operations(i, cycle));
    const [kind, number] = selects.word.value.split(" ");
    list("origin", kind === "word" ? state.origin(i, Number(number), cycle) : kind === "row" ? state.rowOrigin(chosenTile(), number, cycle) : []);
  };
  const paintProgram = () => {
    const i = chosenCell();
    const listing = listingOf.get(moves.cellName(i));
    if (!listing) return;
    const { address } = moves.sequencer(data.cells[i], cycle);
    listing.lines.forEach((row, of) => {
      row.classList.toggle("responsible", of === address);
      row.classList.toggle("chosen", of === chosen);
    });
    const row = listing.lines.get(address);
    if (row && listing.current !== address) programs.scrollTop = row.offsetTop - programs.clientHeight / 2;
    listing.current = address;
  };
  const paint = () => {
    slider.value = String(cycle);
    byId("slider-cycle").value = String(cycle);
    data.cells.forEach(paintCell);
    data.tiles.forEach(paintTile);
    data.column.forEach(paintColumn);
    units.forEach(({ box }, name) => box.classList.toggle("lost", moves.lost(name, cycle).length > 0));
    paintFlows();
    paintProgram();
    paintWords();
    paintRows();
    paintState();
    const all = moves.sentences(cycle, state.instruction);
    list("happens", (all.length > 0 ? all : ["Nothing happens."]).map((text) => ({ text })));
    timeline?.paint(cycle);
  };

  // ---- moving ----
  const go = (to) => {
    cycle = Math.min(Math.max(Math.round(to), data.from), data.to);
    paint();
    // Browsers limit how often the address may change.
    clearTimeout(addressTimer);
    addressTimer = setTimeout(() => history.replaceState(null, "", `#cycle=${cycle}`), 200);
  };
  /** Goes to the cycle in the address, if there is one. */
  const follow = () => {
    const found = /^#cycle=(\d+)$/.exec(location.hash);
    if (found) go(Number(found[1]));
  };
  const showWhole = () => {
    if (pictures.length < 2) return;
    for (const picture of pictures) picture.hidden = !picture.hidden;
    byId("whole").setAttribute("aria-pressed", String(pictures[0].hidden));
    bindPicture();
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
  const toWrite = (find) => {
    const [kind, number] = selects.word.value.split(" ");
    const track = kind === "word" ? data.cells[chosenCell()].words[number] : data.tiles[chosenTile()].rows[number];
    const to = track ? find(track, cycle) : null;
    if (to !== null) go(to);
  };
  const toDecode = (step) => {
    const { sequencer } = data.cells[chosenCell()];
    const decodes = state.runs(sequencer, data.from, data.to).filter(([, , value]) => value === chosen);
    const found = step > 0 ? decodes.find(([from]) => from > cycle) : decodes.findLast(([, to]) => to < cycle);
    if (found) go(found[0]);
  };
  const stepCell = (step) => {
    if (lively.length === 0) return;
    selects.cell.selectedIndex = lively[(lively.indexOf(chosenCell()) + step + lively.length) % lively.length];
    chooseCell();
    paint();
  };
  // ---- events ----
  const onClick = (id, action) => byId(id).addEventListener("click", action);
  slider.addEventListener("input", () => go(Number(slider.value)));
  byId("slider-cycle").addEventListener("change", ({ target }) => go(Number(target.value)));
  const steps = { first: () => go(data.from), back: () => go(cycle - 1), play, on: () => go(cycle + 1), last: () => go(data.to) };
  Object.entries(steps).forEach(([id, step]) => onClick(id, step));
  onClick("word-on", () => toWrite(tracks.next));
  onClick("word-back", () => toWrite(tracks.previous));
  for (const select of [selects.cell, selects.tile]) select.addEventListener("change", () => { chooseCell(); paint(); });
  selects.word.addEventListener("change", paint);
  format.addEventListener("change", paint);
  selects.speed.addEventListener("change", () => { if (timer !== null) { stop(); play(); } });
  byId("whole").hidden = pictures.length < 2;
  onClick("whole", showWhole);
  // Whatever names a cycle leads there; cells, instructions, words and rows are selected.
  document.addEventListener("click", ({ target, clientX }) => {
    const place = target.closest("[data-cycle], [data-word], [data-row], [data-address], .unit")?.dataset;
    if (!place) return timeline?.chart.contains(target) ? go(timeline.cycleAt(clientX)) : undefined;
    if (place.cell !== undefined) selects.cell.selectedIndex = Number(place.cell);
    if (place.unit?.startsWith("cell")) selects.cell.value = place.unit;
    if (place.unit?.startsWith("tile")) selects.tile.value = place.unit;
    if (place.cell !== undefined || place.unit !== undefined) chooseCell();
    if (place.word !== undefined) selects.word.value = `word ${place.word}`;
    if (place.row !== undefined) selects.word.value = `row ${place.row}`;
    if (place.address !== undefined) chosen = Number(place.address);
    if (place.cycle !== undefined) return go(Number(place.cycle));
    if (place.address !== undefined) toDecode(1);
    paint();
  });
  if (timeline) {
    onClick("zoom-in", () => timeline.zoom(1, cycle));
    onClick("zoom-out", () => timeline.zoom(-1, cycle));
    byId("only").addEventListener("change", ({ target }) => timeline.only(target.checked ? selects.cell.value : null, cycle));
    window.addEventListener("resize", () => timeline.paint(cycle, true));
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
    f: showWhole,
    x: () => { format.selectedIndex = 1 - format.selectedIndex; paint(); },
  };
  document.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    const busy = event.target.closest("select, [type=number]") || (event.key === " " && event.target.closest("button, summary"));
    if (!action || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action(event);
  });

  // ---- start ----
  selects.cell.selectedIndex = lively[0] ?? 0;
  const filled = data.tiles.findIndex((tile) => Object.keys(tile.rows).length > 0);
  selects.tile.selectedIndex = Math.max(0, filled);
  chooseCell();
  document.body.classList.add("live");
  bindPicture();
  window.addEventListener("hashchange", follow);
  paint();
  follow();
})();
