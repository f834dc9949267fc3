# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs the Python of the chapters with symbolic integers: an interpreter of its syntax trees in which all paths run at once.

An integer is a bit vector together with its range; every operation widens the result to its range, so that nothing wraps.
A value that is one of several (None or a dictionary) is a `Union`. A condition splits the path; an assignment on a path keeps
the old value on the others, and a call returns one merged value. What a path must not do (index out of range, None as a number)
is collected in `obligations`, and the condition under which each line runs in `lines`; the caller asks the solver.
"""
import ast
import inspect
import operator
from pathlib import Path

import z3

TRUE, FALSE = z3.BoolVal(True), z3.BoolVal(False)
MAX_WIDTH = 4096                                     # of an intermediate result; a wider one is an error of the proof


class Unsupported(Exception):
    """Something in a chapter that this interpreter does not do."""


class Num:
    """An integer from lo to hi. `z` holds it in two's complement if lo is negative, unsigned otherwise; `low` bits are 0."""
    __slots__ = "z", "lo", "hi", "low"

    def __init__(self, z, lo, hi, low=0):
        self.z, self.lo, self.hi, self.low = z, lo, hi, low


class Cond:
    """True or False."""
    __slots__ = ("z",)

    def __init__(self, z):
        self.z = z


class Union:
    """One of several values that cannot be merged: (condition, value); exactly one condition holds."""
    __slots__ = ("cases",)

    def __init__(self, cases):
        self.cases = cases


class Merged(dict):
    """A dictionary that is one of several. It must not be changed, because the change would not reach them."""


class Filtered(list):
    """The result of a comprehension with a symbolic filter: (condition, value)."""


class Closure:
    def __init__(self, node, scopes, defaults):
        self.node, self.scopes, self.defaults = node, scopes, defaults


UNDEFINED = object()


def and_(a, b):
    if a is FALSE or b is FALSE: return FALSE
    return b if a is TRUE else a if b is TRUE or a.eq(b) else z3.And(a, b)


def or_(a, b):
    if a is TRUE or b is TRUE: return TRUE
    return b if a is FALSE else a if b is FALSE or a.eq(b) else z3.Or(a, b)


def not_(a):
    return FALSE if a is TRUE else TRUE if a is FALSE else a.arg(0) if z3.is_not(a) else z3.Not(a)


def width_of(lo, hi):
    return max(1, hi.bit_length()) if lo >= 0 else max(hi.bit_length(), (-lo - 1).bit_length()) + 1


def unsigned(z):
    return Num(z, 0, (1 << z.size()) - 1)


def signed(z):
    return Num(z, -(1 << z.size() - 1), (1 << z.size() - 1) - 1)


def is_number(v):
    return isinstance(v, (int, Num, Cond))


def num(v):
    if isinstance(v, Num): return v
    if isinstance(v, Cond): return Num(z3.If(v.z, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)), 0, 1)
    v = int(v)
    return Num(z3.BitVecVal(v, width_of(v, v)), v, v, (v & -v).bit_length() - 1 if v else MAX_WIDTH)


def bits(v, width):
    """The low bits of a number."""
    v = num(v)
    if v.lo == v.hi: return z3.BitVecVal(v.lo, width)
    have = v.z.size()
    if width <= have: return v.z if width == have else z3.Extract(width - 1, 0, v.z)
    return (z3.SignExt if v.lo < 0 else z3.ZeroExt)(width - have, v.z)


def ranged(make, lo, hi, *operands, low=0):
    """A number from `make(bit vectors of the width of the result)`."""
    if lo == hi: return lo
    width = width_of(lo, hi)
    if width > MAX_WIDTH: raise Unsupported(f"a number of {width} bits")
    return Num(make(*[bits(o, width) for o in operands]), lo, hi, min(low, width))


def joined(a, b):
    """a | b or a + b where no bit is set in both, or None."""
    if a.low < b.low: a, b = b, a
    if b.lo < 0 or not 0 < a.low < MAX_WIDTH or b.hi >= 1 << a.low or a.lo < 0 or a.hi == 0 or a.z.size() <= a.low: return None
    upper = z3.Extract(a.z.size() - 1, a.low, a.z)
    return Num(z3.Concat(upper, bits(b, a.low)), a.lo + b.lo, a.hi + b.hi, min(b.low, a.low))


def add(a, b):
    return joined(a, b) or ranged(lambda x, y: x + y, a.lo + b.lo, a.hi + b.hi, a, b, low=min(a.low, b.low))


def mul(a, b):
    ends = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return ranged(lambda x, y: x * y, min(ends), max(ends), a, b, low=a.low + b.low)


def bit_and(a, b):
    if a.lo < 0 and b.lo < 0: return ranged(lambda x, y: x & y, -(1 << width_of(min(a.lo, b.lo), max(a.hi, b.hi)) - 1), max(a.hi, b.hi), a, b)
    hi = min(n.hi for n in (a, b) if n.lo >= 0)
    for m, o in ((a, b), (b, a)):                    # an extraction of low bits
        if m.lo == m.hi and m.lo >= 0 and m.lo & (m.lo + 1) == 0: return ranged(lambda x: x, 0, hi, o, low=o.low)
    return ranged(lambda x, y: x & y, 0, hi, a, b, low=max(a.low, b.low))


def bit_or(a, b):
    both = joined(a, b)
    if both: return both
    if a.lo < 0 or b.lo < 0:
        half = 1 << width_of(min(a.lo, b.lo), max(a.hi, b.hi)) - 1
        return ranged(lambda x, y: x | y, -half, half - 1, a, b)
    return ranged(lambda x, y: x | y, max(a.lo, b.lo), (1 << max(a.hi, b.hi).bit_length()) - 1, a, b, low=min(a.low, b.low))


def bit_xor(a, b):
    if a.lo < 0 or b.lo < 0:
        half = 1 << width_of(min(a.lo, b.lo), max(a.hi, b.hi)) - 1
        return ranged(lambda x, y: x ^ y, -half, half - 1, a, b)
    return ranged(lambda x, y: x ^ y, 0, (1 << max(a.hi, b.hi).bit_length()) - 1, a, b)


def shift_left(a, b):
    if b.lo == b.hi:
        if a.lo == a.hi or b.lo == 0: return a.lo << b.lo if a.lo == a.hi else a
        return Num(z3.Concat(a.z, z3.BitVecVal(0, b.lo)), a.lo << b.lo, a.hi << b.lo, a.low + b.lo)
    return ranged(lambda x, y: x << y, min(a.lo << b.hi, a.lo << b.lo), max(a.hi << b.hi, a.hi << b.lo), a, b)


def shift_right(a, b):
    lo, hi = min(a.lo >> b.lo, a.lo >> b.hi), max(a.hi >> b.lo, a.hi >> b.hi)
    size = a.z.size()
    if b.lo == b.hi:
        if a.lo == a.hi: return a.lo >> b.lo
        if b.lo >= size: return 0 if a.lo >= 0 else ranged(lambda x: x, -1, 0, Num(z3.Extract(size - 1, size - 1, a.z), -1, 0))
        shifted = z3.Extract(size - 1, b.lo, a.z)
        return Num(shifted, lo, hi) if shifted.size() == width_of(lo, hi) else ranged(lambda x: x, lo, hi, Num(shifted, lo, hi))
    width = max(size, b.z.size()) + 1
    x, y = bits(a, width), bits(b, width)
    return ranged(lambda z: z, lo, hi, Num(x >> y if a.lo < 0 else z3.LShR(x, y), lo, hi))


def modulo(a, b):
    if b.lo != b.hi or b.lo <= 0: raise Unsupported("% by a number that is not a positive constant")
    if b.lo & (b.lo - 1) == 0: return bit_and(a, num(b.lo - 1))
    if a.lo < 0: raise Unsupported("% of a negative number")
    return ranged(lambda z: z, 0, min(a.hi, b.lo - 1), Num(z3.URem(bits(a, w := max(a.z.size(), b.z.size())), bits(b, w)), 0, a.hi))


def divide(a, b):
    """// of numbers that are not negative; by 0, the result has no meaning (and the path an obligation)."""
    if a.lo < 0 or b.lo < 0: raise Unsupported("// of a negative number")
    width = max(a.z.size(), b.z.size())
    return ranged(lambda z: z, 0, a.hi, Num(z3.If(bits(b, width) == 0, z3.BitVecVal(0, width), z3.UDiv(bits(a, width), bits(b, width))), 0, a.hi))


BINARY = {ast.Add: add, ast.Sub: lambda a, b: ranged(lambda x, y: x - y, a.lo - b.hi, a.hi - b.lo, a, b), ast.Mult: mul, ast.BitAnd: bit_and,
          ast.BitOr: bit_or, ast.BitXor: bit_xor, ast.LShift: shift_left, ast.RShift: shift_right, ast.Mod: modulo, ast.FloorDiv: divide}
NATIVE = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
          ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.Mod: operator.mod, ast.FloorDiv: operator.floordiv,
          ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}


def cond(z):
    return True if z is TRUE else False if z is FALSE else Cond(z)


def equal(a, b):
    """a == b as a formula."""
    if a is b: return TRUE
    if isinstance(a, Union): return or_all(and_(c, equal(v, b)) for c, v in a.cases)
    if isinstance(b, Union): return equal(b, a)
    if is_number(a) and is_number(b):
        if isinstance(a, int) and isinstance(b, int): return TRUE if a == b else FALSE
        a, b = num(a), num(b)
        if a.hi < b.lo or b.hi < a.lo: return FALSE
        width = width_of(min(a.lo, b.lo), max(a.hi, b.hi))
        return bits(a, width) == bits(b, width)
    if isinstance(a, (tuple, list)) and type(a) is type(b): return and_all(map(equal, a, b)) if len(a) == len(b) else FALSE
    if isinstance(a, dict) and isinstance(b, dict): return and_all(equal(a[k], b[k]) for k in a) if a.keys() == b.keys() else FALSE
    return FALSE if is_number(a) or is_number(b) or a is None or b is None or a != b else TRUE


def less(a, b):
    if isinstance(a, int) and isinstance(b, int): return TRUE if a < b else FALSE
    a, b = num(a), num(b)
    if a.hi < b.lo: return TRUE
    if a.lo >= b.hi: return FALSE
    lo, width = min(a.lo, b.lo), width_of(min(a.lo, b.lo), max(a.hi, b.hi))
    x, y = bits(a, width), bits(b, width)
    return x < y if lo < 0 else z3.ULT(x, y)


def and_all(all_):
    result = TRUE
    for c in all_: result = and_(result, c)
    return result


def or_all(all_):
    result = FALSE
    for c in all_: result = or_(result, c)
    return result


def ite(c, a, b):
    """a where the formula c holds, else b."""
    if a is b or c is TRUE or b is UNDEFINED: return a
    if c is FALSE or a is UNDEFINED: return b
    if is_number(a) and is_number(b):
        if isinstance(a, int) and isinstance(b, int) and a == b and type(a) is type(b): return a
        if isinstance(a, (bool, Cond)) and isinstance(b, (bool, Cond)):
            x, y = (v.z if isinstance(v, Cond) else TRUE if v else FALSE for v in (a, b))
            return cond(c if x is TRUE and y is FALSE else or_(and_(c, x), and_(not_(c), y)))
        a, b = num(a), num(b)
        if a.z.eq(b.z) and a.lo == b.lo: return a
        lo, hi = min(a.lo, b.lo), max(a.hi, b.hi)
        return ranged(lambda x, y: z3.If(c, x, y), lo, hi, a, b, low=min(a.low, b.low))
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys(): return Merged((k, ite(c, a[k], b[k])) for k in a)
    if isinstance(a, (list, tuple)) and type(a) is type(b) and len(a) == len(b): return type(a)(ite(c, x, y) for x, y in zip(a, b))
    if a is None and b is None or isinstance(a, str) and a == b: return a
    cases = []
    for path, value in ((c, a), (not_(c), b)):
        for inner, v in value.cases if isinstance(value, Union) else [(TRUE, value)]:
            same = next((k for k, (_, w) in enumerate(cases) if mergeable(w, v)), None)
            if same is None: cases.append((and_(path, inner), v))
            else: cases[same] = or_(cases[same][0], and_(path, inner)), ite(and_(path, inner), v, cases[same][1])
    return cases[0][1] if len(cases) == 1 else Union(cases)


def mergeable(a, b):
    return a is b or is_number(a) and is_number(b) or isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys() \
        or isinstance(a, (list, tuple)) and type(a) is type(b) and len(a) == len(b)


def truth(v):
    if isinstance(v, Cond): return v.z
    if isinstance(v, Num): return FALSE if v.lo == v.hi == 0 else TRUE if v.lo > 0 or v.hi < 0 else v.z != 0
    if isinstance(v, Union): return or_all(and_(c, truth(x)) for c, x in v.cases)
    return TRUE if v else FALSE


class Interpreter:
    """Runs functions of the chapters. `stubs`: functions that are replaced, by their name such as "ch2.decode"."""

    def __init__(self):
        self.stubs = {}
        self.guard, self.entry, self.line, self.file, self.depth = TRUE, TRUE, 0, None, 0
        self.called = []                                               # functions that the caller called, their arguments and results
        self.obligations, self.lines, self.writes, self.trees = [], {}, {}, {}
        self.effects = {}                                              # by id of the guard: the last statement that gave a value under it
        self.builtins = {f.__name__: f for f in (len, range, zip, enumerate, list, tuple, dict, set, reversed, isinstance, str)}
        self.builtins.update(min=self.minimum, max=self.maximum, abs=self.absolute, int=self.int_, bool=lambda v: cond(truth(v)),
                             sum=self.sum_, any=lambda l: cond(or_all(self.flat(l))), all=self.all_, next=self.next_)

    # Paths

    def under(self, condition, run):
        """The result of `run` on the part of the path where the formula holds."""
        before = self.guard
        self.guard = and_(before, condition)
        try: return run()
        finally: self.guard = before

    def require(self, condition, message):
        bad = and_(self.guard, not_(condition))
        if bad is not FALSE: self.obligations.append((bad, message, self.file, self.line))

    def lift(self, value, run):
        """run(value), for each of the values that a Union may be."""
        if not isinstance(value, Union): return run(value)
        result = UNDEFINED
        for c, v in value.cases: result = ite(c, self.under(c, lambda: run(v)), result)
        return result

    def fail(self, message):
        """A path that must not exist: its result has no meaning."""
        self.require(FALSE, message)
        return UNDEFINED

    # Functions

    def call(self, function, *arguments, **named):
        """Calls a function of a chapter, a closure or a built-in function."""
        called = None
        if isinstance(function, Union): return self.lift(function, lambda f: self.call(f, *arguments, **named))
        if not isinstance(function, Closure):
            function = inspect.unwrap(function) if inspect.isfunction(function) else function
            if not (inspect.isfunction(function) and function.__code__.co_filename.endswith(".md")):
                return function(*arguments, **named)
            name = f"{function.__globals__['__name__']}.{function.__name__}"
            if name in self.stubs: return self.stubs[name](*arguments, **named)
            if self.depth == 0 and self.guard is TRUE and function.__name__ in function.__globals__:
                called = [name, arguments, UNDEFINED]
                self.called.append(called)
            function = self.closure(function)
        node, a = function.node, function.node.args
        names = [p.arg for p in a.posonlyargs + a.args]
        scope = dict(zip(names, arguments))
        if a.vararg: scope[a.vararg.arg] = tuple(arguments[len(names):])
        rest = {k: v for k, v in named.items() if k not in names and k not in [p.arg for p in a.kwonlyargs]}
        scope.update((k, v) for k, v in named.items() if k not in rest)
        if a.kwarg: scope[a.kwarg.arg] = rest
        elif rest or not a.vararg and len(arguments) > len(names): raise Unsupported(f"{self.file}:{self.line}: arguments of a call")
        for name, value in zip(reversed(names), reversed(function.defaults)): scope.setdefault(name, value)
        saved = self.file, self.line, self.guard, self.entry, self.depth
        self.entry, self.depth = self.guard, self.depth + 1
        frame = Frame([scope, *function.scopes], self.guard)
        self.file = function.scopes[-1].get("__file__", self.file)
        if isinstance(node, ast.Lambda): result = self.value(node.body, frame)
        else:
            rest = self.block(node.body, frame)
            result = UNDEFINED if rest is FALSE else None
            for guard, value in reversed(frame.returned): result = ite(guard, value, result)
        self.file, self.line, self.guard, self.entry, self.depth = saved
        if self.depth == 0 and called: called[2] = result
        return result

    def closure(self, function):
        """A function of a module as a closure, by its place in the chapter."""
        code = function.__code__
        tree = self.trees.get(code.co_filename)
        if tree is None:
            tree = self.trees[code.co_filename] = {}
            for number, node in chapter_functions(code.co_filename): tree[number] = node
        module = function.__globals__
        module["__file__"] = code.co_filename
        return Closure(tree[code.co_firstlineno], [module], list(function.__defaults__ or ()))

    def effect(self):                                                  # paths that meet again say nothing
        if self.guard is not TRUE and not z3.is_or(self.guard): self.effects[self.guard.get_id()] = self.guard, self.file, self.line

    # Statements: each returns the formula of the paths that go on

    def block(self, statements, frame):
        for statement in statements:
            if self.guard is FALSE: break
            self.line = statement.lineno
            self.lines.setdefault((self.file, statement.lineno, statement.col_offset), []).append(self.guard)
            self.guard = self.visitor("do_", statement)(statement, frame)
        return self.guard

    def do_Expr(self, s, frame):
        self.value(s.value, frame)
        return self.guard

    def do_FunctionDef(self, s, frame):
        frame.scopes[0][s.name] = Closure(s, frame.scopes, [self.value(d, frame) for d in s.args.defaults])
        return self.guard

    def do_Return(self, s, frame):
        value = None if s.value is None else self.value(s.value, frame)
        frame.returned.append((self.guard, value))
        if not isinstance(s.value, ast.Name): self.effect()             # a name got its value elsewhere
        return FALSE

    def do_Assign(self, s, frame):
        value = self.value(s.value, frame)
        for target in s.targets: self.assign(target, value, frame)
        self.effect()
        return self.guard

    def do_AugAssign(self, s, frame):
        load = ast.BinOp(s.target, s.op, s.value)
        self.assign(s.target, self.value(load, frame), frame)
        return self.guard

    def do_If(self, s, frame):
        c = truth(self.value(s.test, frame))
        before = self.guard
        if c is TRUE: return self.block(s.body, frame)
        if c is FALSE: return self.block(s.orelse, frame)
        ends, starts = [], [and_(before, c), and_(before, not_(c))]
        for start, body in zip(starts, (s.body, s.orelse)):
            self.guard = start
            ends.append(self.block(body, frame))
        return before if all(map(operator.is_, starts, ends)) else or_(*ends)

    def do_For(self, s, frame):
        if s.orelse: raise Unsupported(f"{self.file}:{self.line}: else of a loop")
        before = self.guard
        for item in self.sequence(self.value(s.iter, frame)):
            if self.guard is FALSE: break
            self.assign(s.target, item, frame)
            self.guard = self.block(s.body, frame)
        return self.guard if frame.returned else before

    def assign(self, target, value, frame):
        if isinstance(target, ast.Name):
            scope, defined = frame.scopes[0], ("defined", target.id)
            if target.id not in scope or self.guard.eq(frame.entry):   # on all paths of the call, nothing is left of the old value
                scope[target.id] = value
                scope.pop(defined, None)
                if not self.guard.eq(frame.entry): scope[defined] = self.guard
            else:
                scope[target.id] = ite(self.guard, value, scope[target.id])
                if defined in scope: scope[defined] = or_(scope[defined], self.guard)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, Union):
                return self.lift(value, lambda v: self.assign(target, v, frame))
            if value is UNDEFINED: return
            if value is None: return self.fail("None has no parts")
            values = self.sequence(value)
            if len(values) != len(target.elts): raise Unsupported("unpacking")
            for t, v in zip(target.elts, values): self.assign(t, v, frame)
        elif isinstance(target, ast.Subscript):
            container = self.value(target.value, frame)
            if isinstance(target.slice, ast.Slice):
                if isinstance(value, Union): return self.lift(value, lambda v: self.assign(target, v, frame))
                if value is None: return self.fail("None is assigned to a slice")
                for c, part in self.slices(target.slice, container, frame):
                    places, values = range(len(container))[part], self.sequence(value)
                    if len(values) != len(places): raise Unsupported("a slice of another length")
                    for k, v in zip(places, values): self.under(c, lambda: self.store(container, k, v))
            else: self.store(container, self.value(target.slice, frame), value)
        else: raise Unsupported(f"assignment to {type(target).__name__}")

    def store(self, container, key, value):
        if key is None: return self.fail("a key is None")
        if isinstance(key, (Num, Cond, Union)):
            if isinstance(key, Union): return self.lift(key, lambda k: self.store(container, k, value))
            keys = range(len(container)) if isinstance(container, list) else list(container)
            self.require(or_all(equal(key, k) for k in keys), "index out of range")
            for k in keys: self.under(equal(key, k), lambda: self.store(container, k, value))
            return
        if self.guard is FALSE: return
        if isinstance(container, (Merged, Union)) or not isinstance(container, (dict, list)): raise Unsupported(f"{self.file}:{self.line}: change of a merged value")
        if isinstance(container, list): container[key] = ite(self.guard, value, container[key])
        elif key in container: container[key] = ite(self.guard, value, container[key])
        elif self.guard.eq(self.entry): container[key] = value
        else: raise Unsupported(f"{self.file}:{self.line}: a new key on some paths only")
        self.writes.setdefault(key, []).append((self.guard, self.file, self.line))

    # Expressions

    def value(self, node, frame):
        return self.visitor("of_", node)(node, frame)

    def visitor(self, prefix, node):
        name = prefix + type(node).__name__
        if not hasattr(self, name): raise Unsupported(f"{self.file}:{self.line}: symbolic.py does not interpret {name[3:]}")
        return getattr(self, name)

    def of_Constant(self, e, frame):
        return e.value

    def of_Name(self, e, frame):
        for scope in frame.scopes:
            if e.id in scope: return self.read(scope, e.id)
        if e.id in self.builtins: return self.builtins[e.id]
        raise Unsupported(f"{self.file}:{self.line}: name {e.id}")

    def read(self, scope, name):
        """The value of a variable, which must be assigned on this path."""
        if ("defined", name) in scope: self.require(scope["defined", name], f"{name} is not assigned")
        return scope[name]

    def of_Tuple(self, e, frame):
        return tuple(self.elements(e.elts, frame))

    def of_List(self, e, frame):
        return self.elements(e.elts, frame)

    def of_Set(self, e, frame):
        return set(self.elements(e.elts, frame))

    def elements(self, nodes, frame):
        out = []
        for n in nodes:
            if isinstance(n, ast.Starred): out += self.sequence(self.value(n.value, frame))
            else: out.append(self.value(n, frame))
        return out

    def of_Dict(self, e, frame):
        out = {}
        for k, v in zip(e.keys, e.values):
            if k is None: out.update(self.value(v, frame))
            else: out[self.value(k, frame)] = self.value(v, frame)
        return out

    def of_Lambda(self, e, frame):
        return Closure(e, frame.scopes, [self.value(d, frame) for d in e.args.defaults])

    def of_IfExp(self, e, frame):
        c = truth(self.value(e.test, frame))
        if c is TRUE or c is FALSE: return self.value(e.body if c is TRUE else e.orelse, frame)
        a = self.under(c, lambda: self.value(e.body, frame))
        return ite(c, a, self.under(not_(c), lambda: self.value(e.orelse, frame)))

    def of_BoolOp(self, e, frame):
        stops_at = isinstance(e.op, ast.Or)                            # the truth of an operand that ends the evaluation
        def rest(k):
            v = self.value(e.values[k], frame)
            if k == len(e.values) - 1: return v
            t = truth(v)
            go_on = not_(t) if stops_at else t
            if go_on is FALSE: return v
            return ite(not_(go_on), v, self.under(go_on, lambda: rest(k + 1)))
        return rest(0)

    def of_UnaryOp(self, e, frame):
        v = self.value(e.operand, frame)
        if isinstance(e.op, ast.Not): return cond(not_(truth(v)))
        if isinstance(v, int): return -v if isinstance(e.op, ast.USub) else ~v
        if isinstance(e.op, ast.USub): return self.binary(ast.Sub, 0, v)
        return self.binary(ast.Sub, -1, v)

    def of_BinOp(self, e, frame):
        return self.binary(type(e.op), self.value(e.left, frame), self.value(e.right, frame))

    def binary(self, op, a, b):
        if a is UNDEFINED or b is UNDEFINED: return UNDEFINED
        if isinstance(a, Union): return self.lift(a, lambda v: self.binary(op, v, b))
        if isinstance(b, Union): return self.lift(b, lambda v: self.binary(op, a, v))
        if isinstance(a, (Num, Cond)) or isinstance(b, (Num, Cond)):
            if isinstance(a, list) or isinstance(b, list): raise Unsupported("a list of symbolic length")
            if not (is_number(a) and is_number(b)): return self.fail("an operand is not a number")
            if op in (ast.BitAnd, ast.BitOr) and isinstance(a, (bool, Cond)) and isinstance(b, (bool, Cond)):
                return cond((and_ if op is ast.BitAnd else or_)(truth(a), truth(b)))
            a, b = num(a), num(b)
            if op in (ast.LShift, ast.RShift) and b.lo != b.hi:        # a long shift happens on no path, or has an early limit
                if b.lo < 0: raise Unsupported("shift by a negative number")
                if op is ast.LShift and b.hi > 255:
                    self.require(less(b, 256), "shift by more than 255 bits")
                    b = num(bit_and(b, num(255)))
            if op is ast.FloorDiv: self.require(not_(equal(b, 0)), "division by 0")
            result = BINARY[op](a, b)
            return result.lo if isinstance(result, Num) and result.lo == result.hi else result
        if a is None or b is None: return self.fail("an operand is None")
        return NATIVE[op](a, b)

    def of_Compare(self, e, frame):
        left, result = self.value(e.left, frame), TRUE
        for op, right in zip(e.ops, e.comparators):
            right = self.under(result, lambda: self.value(right, frame))
            result = and_(result, self.under(result, lambda: self.compare(type(op), left, right)))
            left = right
        return cond(result)

    def compare(self, op, a, b):
        if op in (ast.NotEq, ast.IsNot, ast.NotIn): return not_(self.compare({ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}[op], a, b))
        if a is UNDEFINED or b is UNDEFINED: return FALSE
        if op is ast.Eq: return equal(a, b)
        if op is ast.In: return self.contains(b, a)
        if isinstance(a, Union): return or_all(and_(c, self.under(c, lambda: self.compare(op, v, b))) for c, v in a.cases)
        if op is ast.Is:
            if b is not None: raise Unsupported("is")
            return TRUE if a is None else FALSE
        if isinstance(b, Union): return or_all(and_(c, self.under(c, lambda: self.compare(op, a, v))) for c, v in b.cases)
        if not (is_number(a) and is_number(b)): return FALSE if self.fail("an operand is not a number") else FALSE
        if op in (ast.Gt, ast.LtE): a, b = b, a
        return less(a, b) if op in (ast.Lt, ast.Gt) else not_(less(a, b))

    def contains(self, container, v):
        if isinstance(container, Union): return or_all(and_(c, self.contains(x, v)) for c, x in container.cases)
        if isinstance(container, Filtered): return or_all(and_(c, equal(x, v)) for c, x in container)
        return or_all(equal(v, k) for k in container)

    def of_Subscript(self, e, frame):
        container = self.value(e.value, frame)
        if isinstance(e.slice, ast.Slice):
            def parts(values):
                result = UNDEFINED
                for c, part in self.slices(e.slice, values, frame): result = ite(c, values[part], result)
                return result
            return self.lift(container, parts)
        return self.item(container, self.value(e.slice, frame))

    def slices(self, e, container, frame):
        """(condition, slice) of the slices that one with symbolic ends may be."""
        lower = e.lower and self.value(e.lower, frame)
        if not isinstance(lower, Num): return [(TRUE, slice(lower, e.upper and self.value(e.upper, frame)))]
        if e.step or not (isinstance(e.upper, ast.BinOp) and isinstance(e.upper.op, ast.Add) and ast.dump(e.upper.left) == ast.dump(e.lower)):
            raise Unsupported(f"{self.file}:{self.line}: a slice that is not of the form [x : x + length]")
        length = self.value(e.upper.right, frame)
        self.require(less(lower, len(container) - length + 1), "slice out of range")
        places = range(0, min(lower.hi, len(container) - length) + 1, 1 << lower.low)
        return [(equal(lower, k), slice(k, k + length)) for k in places]

    def item(self, container, key):
        if container is UNDEFINED or key is UNDEFINED: return UNDEFINED
        if isinstance(container, Union): return self.lift(container, lambda c: self.item(c, key))
        if isinstance(container, Filtered): raise Unsupported(f"{self.file}:{self.line}: an element of a filtered list")
        if container is None or is_number(container): return self.fail("an index into something that is not a container")
        if isinstance(container, dict):
            if symbolic(key): return self.lookup(container, key, UNDEFINED, "key not found")
            return container[key] if key in container else self.fail(f"no key {key!r}")
        if isinstance(key, Union): return self.lift(key, lambda k: self.item(container, k))
        if key is None: return self.fail("an index is None")
        if isinstance(key, (Num, Cond)):
            key = num(key)
            if key.lo < 0:                                              # counts from the end, which no chapter means
                self.require(not_(less(key, 0)), "a negative index")
                key = unsigned(bits(key, key.z.size() - 1))
            if key.hi >= len(container): self.require(less(key, len(container)), "index out of range")
            return self.select(container, key)
        return container[key] if -len(container) <= key < len(container) else self.fail("index out of range")

    def select(self, values, key):
        """values[key] as a tree over the bits of the index."""
        width = key.z.size()
        def part(first, bit):
            if first >= len(values): return UNDEFINED
            if bit < 0: return values[first]
            return ite(z3.Extract(bit, bit, key.z) == 1, part(first + (1 << bit), bit - 1), part(first, bit - 1))
        return part(0, width - 1)

    def lookup(self, container, key, default, message=None):
        found = [(equal(key, k), v) for k, v in container.items()]
        found = [(c, v) for c, v in found if c is not FALSE]
        if message: self.require(or_all(c for c, _ in found), message)
        result = default
        for c, v in reversed(found): result = ite(c, v, result)
        return result

    def of_Attribute(self, e, frame):
        owner = self.value(e.value, frame)
        if inspect.ismodule(owner) or isinstance(owner, type): return getattr(owner, e.attr)
        return lambda *a, **k: self.lift(owner, lambda o: self.method(o, e.attr, a, k))

    def method(self, owner, name, arguments, named):
        if owner is UNDEFINED: return UNDEFINED
        if owner is None or is_number(owner): return self.fail(f"{name} of something that has no such method")
        if isinstance(owner, Filtered): raise Unsupported(f"{self.file}:{self.line}: {name} of what exists on some paths only")
        if isinstance(owner, dict):
            if name == "get":
                default = arguments[1] if len(arguments) > 1 else None
                return self.lookup(owner, arguments[0], default) if symbolic(arguments[0]) else owner.get(arguments[0], default)
            if name == "update":
                for part in (*arguments, named):
                    self.lift(part, lambda p: [self.store(owner, k, v) for k, v in (p.items() if isinstance(p, dict) else p)])
                return None
        if name not in ("items", "keys", "values"): raise Unsupported(f"{self.file}:{self.line}: {name}")
        return getattr(owner, name)()

    def of_Call(self, e, frame):
        function = self.value(e.func, frame)
        arguments = self.elements(e.args, frame)
        named, spread = {}, []
        for k in e.keywords:
            if k.arg is None: spread.append(self.value(k.value, frame))
            else: named[k.arg] = self.value(k.value, frame)
        for part in spread:
            if isinstance(part, Union): return self.lift(part, lambda p: self.call(function, *arguments, **named, **p))
            named.update(part)
        if function is dict and arguments and isinstance(arguments[0], Union):
            return self.lift(arguments[0], lambda d: self.fail("dict of None") if d is None else self.call(dict, d, **named))
        if function is dict and arguments and (arguments[0] is None or arguments[0] is UNDEFINED): return self.fail("dict of None")
        if inspect.isclass(function) or function in (len, reversed):
            if any(isinstance(a, Filtered) for a in arguments): raise Unsupported(f"{self.file}:{self.line}: a copy of what exists on some paths only")
        return self.call(function, *arguments, **named)

    # Comprehensions

    def comprehend(self, e, frame, element):
        return self.lift(self.value(e.generators[0].iter, frame), lambda first: self.comprehend_over(first, e, frame, element))

    def comprehend_over(self, first, e, frame, element):
        out = Filtered()
        inner = Frame([{}, *frame.scopes], self.guard)
        def generate(k, condition):
            if k == len(e.generators):
                out.append((condition, self.under(condition, lambda: element(inner))))
                return
            g = e.generators[k]
            for item in self.sequence(self.under(condition, lambda: self.value(g.iter, inner)) if k else first):
                inner.scopes[0] = dict(inner.scopes[0])
                self.bind(g.target, item, inner)
                c = condition
                for test in g.ifs: c = and_(c, self.under(c, lambda: truth(self.value(test, inner))))
                if c is not FALSE: generate(k + 1, c)
        generate(0, TRUE)
        return [v for _, v in out] if all(c is TRUE for c, _ in out) else out

    def bind(self, target, item, frame):
        """Assignment of a variable of a comprehension."""
        if isinstance(target, ast.Name): frame.scopes[0][target.id] = item
        else:
            for t, v in zip(target.elts, self.sequence(item)): self.bind(t, v, frame)

    def of_GeneratorExp(self, e, frame):
        return self.comprehend(e, frame, lambda f: self.value(e.elt, f))

    of_ListComp = of_GeneratorExp

    def of_DictComp(self, e, frame):
        return self.lift(self.comprehend(e, frame, lambda f: (self.value(e.key, f), self.value(e.value, f))), lambda pairs: dict(self.sequence(pairs)))

    def sequence(self, v):
        if isinstance(v, Filtered): raise Unsupported("a loop over a filtered list")
        if isinstance(v, (list, tuple, str, dict)): return list(v)
        if isinstance(v, (set, frozenset)): return sorted(v)
        if isinstance(v, (Num, Cond, Union)) or v is None or v is UNDEFINED: raise Unsupported(f"{self.file}:{self.line}: a loop over {type(v).__name__}")
        return list(v)

    # Built-in functions

    def flat(self, values):
        return [and_(c, truth(v)) for c, v in values] if isinstance(values, Filtered) else [truth(v) for v in self.sequence(values)]

    def all_(self, values):
        if isinstance(values, Filtered): return cond(and_all(or_(not_(c), truth(v)) for c, v in values))
        return cond(and_all(truth(v) for v in self.sequence(values)))

    def sum_(self, values, start=0):
        if isinstance(values, Union): return self.lift(values, lambda v: self.sum_(v, start))
        result = start
        for v in values if isinstance(values, Filtered) else [(TRUE, v) for v in self.sequence(values)]:
            result = self.binary(ast.Add, result, ite(v[0], v[1], 0))
        return result

    def next_(self, values, default=UNDEFINED):
        result = default
        if not isinstance(values, Filtered): values = [(TRUE, v) for v in self.sequence(values)]
        if default is UNDEFINED: self.require(or_all(c for c, _ in values), "next of nothing")
        for c, v in reversed(values): result = ite(c, v, result)
        return result

    def minimum(self, *values):
        return self.extreme(values, lambda a, b: less(a, b))

    def maximum(self, *values):
        return self.extreme(values, lambda a, b: less(b, a))

    def extreme(self, values, better):
        values = self.sequence(values[0]) if len(values) == 1 else values
        result = values[0]
        for v in values[1:]:
            c = better(v, result)
            merged = ite(c, v, result)
            if isinstance(merged, Num):                                # the range is known better than by the operands
                a, b = num(v), num(result)
                pick = min if better(0, 1) is TRUE else max
                lo, hi = pick(a.lo, b.lo), pick(a.hi, b.hi)
                merged = ranged(lambda x: x, lo, hi, merged)
            result = merged
        return result

    def absolute(self, v):
        if isinstance(v, int): return abs(v)
        if num(v).lo >= 0: return v
        negative = self.binary(ast.Sub, 0, v)
        merged = ite(less(v, 0), negative, v)
        return ranged(lambda x: x, 0, max(-v.lo, v.hi), merged)

    def int_(self, v):
        if isinstance(v, str) and not v.isdecimal(): return self.fail(f"int of {v!r}")
        return v if isinstance(v, Num) else num(v) if isinstance(v, Cond) else self.lift(v, self.int_) if isinstance(v, Union) else int(v)


class Frame:
    """A call: its scopes, innermost first, and what it returned on which paths."""

    def __init__(self, scopes, entry):
        self.scopes, self.entry, self.returned = scopes, entry, []


PRODUCT, QUOTIENT = (z3.Function(name, *[z3.BitVecSort(64)] * 3) for name in ("product", "quotient"))


def uninterpreted(formula):
    """The formula with any function of the operands in place of each product and each quotient of two variables: what holds for any
    function holds for these. A product of n bits depends on n bits of its operands, so its operands may be seen as signed numbers;
    it is commutative, and 0 if one of them is. A quotient is at most its dividend, or all ones if the divisor is 0."""
    def product(a, b):
        x, y = (z3.SignExt(64 - a.size(), z) for z in (a, b))
        x, y = z3.If(z3.ULE(x, y), x, y), z3.If(z3.ULE(x, y), y, x)
        return z3.Extract(a.size() - 1, 0, z3.If(x == 0, z3.BitVecVal(0, 64), PRODUCT(x, y)))
    def quotient(a, b):
        x, y = (z3.ZeroExt(64 - a.size(), z) for z in (a, b))
        q = QUOTIENT(x, y)
        return z3.If(b == 0, z3.BitVecVal(-1, a.size()), z3.Extract(a.size() - 1, 0, z3.If(z3.ULE(q, x), q, x)))
    def signed_quotient(a, b):                       # as SMT-LIB defines it
        q = quotient(z3.If(a < 0, -a, a), z3.If(b < 0, -b, b))
        return z3.If((a < 0) != (b < 0), -q, q)
    kinds = {z3.Z3_OP_BMUL: product, z3.Z3_OP_BUDIV: quotient, z3.Z3_OP_BUDIV_I: quotient, z3.Z3_OP_BSDIV: signed_quotient, z3.Z3_OP_BSDIV_I: signed_quotient}
    while True:
        known, todo, found = set(), [formula], []
        while todo:
            z = todo.pop()
            if z.get_id() in known: continue
            known.add(z.get_id())
            children = z.children()
            if z3.is_app(z) and z.decl().kind() in kinds and len(children) == 2 and z.size() <= 64 and not any(map(z3.is_bv_value, children)):
                found.append((z, kinds[z.decl().kind()](*children)))
            todo += children
        if not found: return formula
        formula = z3.substitute(formula, *found)


def symbolic(v):
    return isinstance(v, (Num, Cond, Union)) or isinstance(v, tuple) and any(map(symbolic, v))


def chapter_functions(path):
    """(line, tree) of the functions and lambdas of a chapter."""
    from chapters import BLOCK
    text = Path(path).read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        tree = ast.parse("\n" * text.count("\n", 0, block.start(1)) + block[1])
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)): yield node.lineno, node


def statements(function):
    """The statements of a function, without those of functions in it."""
    todo = list(function.body) if isinstance(function, ast.FunctionDef) else []
    if todo and isinstance(todo[0], ast.Expr) and isinstance(todo[0].value, ast.Constant): del todo[0]
    while todo:
        statement = todo.pop()
        yield statement
        if not isinstance(statement, ast.FunctionDef): todo += [n for n in ast.iter_child_nodes(statement) if isinstance(n, ast.stmt)]


def concrete(v, model):
    """The value of a symbolic value in a model."""
    if isinstance(v, Num): return model(v.z).as_signed_long() if v.lo < 0 else model(v.z).as_long()
    if isinstance(v, Cond): return z3.is_true(model(v.z))
    if isinstance(v, Union): return next((concrete(x, model) for c, x in v.cases if z3.is_true(model(c))), None)
    if isinstance(v, dict): return {k: concrete(x, model) for k, x in v.items()}
    return type(v)(concrete(x, model) for x in v) if type(v) in (list, tuple) else v
