#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Proves that blocks of the RTL equal their chapters: for all states and all inputs, the next state and the outputs are the same.

Without BLOCK, proves all blocks and that each register, output, property and line of a chapter has its place in one of them.
`proof.py` says how to add a block. Exit code: 0 all proved, 1 a difference, 2 bad input, 3 a tool failed or a block is incomplete."""
import argparse
import hashlib
import importlib
import os
import pickle
import re
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "harness" / "host" / "src"), str(ROOT / "tests" / "specification"), str(ROOT / "tests" / "proofs")]

import packages

try:
    for name in ("hdl-tools", "solvers"):
        wanted = ROOT / "target", name + "-{}", (ROOT / "harness" / "mutate" / "src" / f"{name}.txt").read_text(encoding="utf-8")
        if not packages.folder_of(*wanted, "--installed"): print(f"installing the packages of {name}.txt below target/", file=sys.stderr, flush=True)
        sys.path.insert(1, packages.folder_of(*wanted))
except SystemExit as e:                                                 # its code would be that of a difference
    print(f"error: {e}", file=sys.stderr)
    sys.exit(3)

import chapters
import proof
import registers
import rtl
import symbolic


def job(arguments):
    name, number, sources, text, folder, cases, patience, kept = arguments
    try: result = proof.Proof(name, number, sources, text, folder, cases, patience).prove()
    except (rtl.Error, symbolic.Unsupported) as e: return dict(name=name, error=str(e) if str(e).startswith(name) else f"{name}: {e}")
    except Exception as e:                                              # a chapter that Python cannot run, or an interface that does not fit it
        place = traceback.extract_tb(e.__traceback__)[-1]
        return dict(name=name, error=f"{name}: {e!r} at {Path(place.filename).name}:{place.lineno}")
    if not result["differences"]:
        kept.parent.mkdir(exist_ok=True)
        partial = kept.with_name(f"{kept.name}.{os.getpid()}")
        partial.write_bytes(pickle.dumps(result))
        partial.rename(kept)
    return result


def kept_result(name, number, sources, folder):
    """The file of the result of a case: its name is a digest of all that the proof reads."""
    module, _, inside = proof.key_of(name, number)
    files = {f"{m}.sv" for m in (module, *inside)}
    instances = {f for f in sources.files for of in files if re.search(rf"\b{f.removesuffix('.sv')}\b", sources.text.get(of, ""))}
    read = {f: text for f, text in sources.text.items() if f in files | instances or f.endswith(("_pkg.sv", ".svh"))}
    scripts = [*(ROOT / "tests" / "proofs").rglob("*.py"), *(ROOT / "tests" / "specification").glob("*.py"), *Path(folder).glob("0*.md"), registers.FABRIC]
    all_ = [name, number, read, {str(p): p.read_text(encoding="utf-8") for p in sorted(scripts)}, [sys.path[1:3], sys.version]]
    return rtl.CACHE / "results" / hashlib.sha256(repr(all_).encode()).hexdigest()


def report(r):
    what = f"{r['registers']} registers, {r['outputs']} outputs, {sum(map(len, r['properties'].values()))} properties"
    print(f"{r['title']}: {'differs' if r['differences'] else 'equal'}; {what}; {r['seconds']:.1f} s")
    for difference in r["differences"]: print(difference)
    sys.stdout.flush()


def line_of(file, line):
    return f"{Path(file).name}:{line}: {Path(file).read_text(encoding='utf-8').splitlines()[line - 1].strip()}"


def unreached(results):
    """Statements of the chapters that are on no path of these results, except those that are listed."""
    reached = {}
    for r in results:
        for place, yes in r["lines"].items(): reached[place] = reached.get(place, False) or yes
    lines = [line_of(file, line) for (file, line, _), yes in sorted(reached.items()) if not yes]
    return [line for line in lines if not any(text in line for text in proof.UNREACHED)]


def gaps(results, sources, folder):
    """What no block compares although all blocks were proved."""
    compared, seen, lines = {}, {}, {place for r in results for place in r["lines"]}
    for r in results:
        for kind in r["kinds"]: compared.setdefault(kind, set()).add(r["name"])
        for module, names in r["properties"].items(): seen.setdefault(module, set()).update(names)
    promised = {p for r in results for p in r["promised"]}
    for r in results:
        for reason, text in r["assumed"]:
            if not {(reason, text), (reason, None)} & promised: yield f"{r['title']} assumes what no block promises: {reason}: {text}"
    for kind in sorted({r.kind for r in registers.Registers(proof.SIZES["8x2"]).all}):
        if len(compared.get(kind, ())) != 1: yield f"register {kind}: compared by {', '.join(sorted(compared.get(kind, ()))) or 'no block'}"
    for file in sources.files:
        module = file.removesuffix(".sv")
        if module.endswith("_pkg"): continue
        if not any(module == b["module"] or module in b["inside"] for b in proof.BLOCKS.values()): yield f"module {module}: in no block"
        for name in sorted(set(rtl.PROPERTY.findall(sources.text[file])) - seen.get(module, set())): yield f"{file}: property {name}: in no block"
    for path in sorted(Path(folder).glob("0[2-7]-*.md")):
        for number, node in symbolic.chapter_functions(str(path)):
            if getattr(node, "name", None) in proof.OUTSIDE: continue
            for statement in symbolic.statements(node):
                text = line_of(path, statement.lineno)
                if (str(path), statement.lineno, statement.col_offset) not in lines and not any(t in text for t in proof.UNREACHED): yield f"{text}: in no block"


def main():
    for path in sorted((ROOT / "tests" / "proofs" / "blocks").glob("*.py")): importlib.import_module(f"blocks.{path.stem}")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("block", metavar="BLOCK", nargs="*", help=f"blocks to prove [default: all]: {', '.join(proof.BLOCKS)}")
    parser.add_argument("--module", help="prove the blocks that this module belongs to")
    parser.add_argument("--rtl", type=Path, default=ROOT / "rtl", help="folder of the RTL [default: rtl]")
    parser.add_argument("--chapters", type=Path, default=chapters.FOLDER, help="folder of the chapters [default: isa/spec]")
    parser.add_argument("--jobs", type=lambda text: max(1, int(text)), default=os.cpu_count() or 1, help="number of blocks in parallel [default: number of cores]")
    parser.add_argument("--cases", type=int, default=20, help="number of generated cases to search for one that shows a difference [default: 20]")
    parser.add_argument("--patience", type=int, metavar="SECONDS", help="give up if the solver takes longer for one question")
    parser.add_argument("--unchanged", action="store_true", help="take the result of a block from an earlier run if nothing that its proof reads has changed")
    a = parser.parse_args()
    if a.module:
        a.block += [n for n, b in proof.BLOCKS.items() if a.module in (b["module"], *b["inside"])]
        if not a.block: parser.error(f"--module {a.module}: in no block")
    begin, names = time.monotonic(), a.block or list(proof.BLOCKS)
    for name in names:
        if name not in proof.BLOCKS: parser.error(f"no block {name}; there are {', '.join(proof.BLOCKS)}")
    try:
        try: chapters.Chapters(a.chapters).chapter(5)
        except Exception as e: raise rtl.BadInput(f"the chapters cannot be read: {e}") from e
        sources = rtl.Sources(a.rtl)
        cases = [(n, k, proof.key_of(n, k)) for n in names for k in range(len(proof.BLOCKS[n]["cases"]))]
        kept = [kept_result(n, k, sources, a.chapters.resolve()) for n, k, _ in cases]
        todo = [(c, f) for c, f in zip(cases, kept) if not (a.unchanged and f.exists())]
        texts = sources.translate([key for (_, _, key), _ in todo])
        results = []
        with ProcessPoolExecutor(a.jobs) as pool:
            proved = pool.map(job, [(n, k, sources, texts[key], a.chapters.resolve(), a.cases, a.patience, f) for (n, k, key), f in todo])
            again = {f for _, f in todo}
            for file in kept:
                results.append(next(proved) if file in again else dict(pickle.loads(file.read_bytes()), seconds=0))
                if "error" not in results[-1]: report(results[-1])
    except rtl.Error as e:
        print(f"error: {e}", file=sys.stderr)
        return 2 if isinstance(e, rtl.BadInput) else 3
    errors = [r["error"] for r in results if "error" in r]
    results = [r for r in results if "error" not in r]
    differ = any(r["differences"] for r in results)
    if not differ and not errors:
        errors += [f"on no path: {line}" for line in unreached(results)] + ([] if a.block else list(gaps(results, sources, a.chapters.resolve())))
    for e in errors: print(e)
    print(f"{len(names)} blocks, {len(results)} cases, {time.monotonic() - begin:.0f} s: {'differences' if differ else 'incomplete' if errors else 'all equal'}")
    return 1 if differ else 3 if errors else 0


if __name__ == "__main__":
    try: sys.exit(main())
    except Exception:                                                   # Python's own code, 1, is that of a difference
        traceback.print_exc()
        sys.exit(3)
