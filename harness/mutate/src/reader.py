# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads a design with slang and writes what `drra mutate` needs to know about it to standard output, as JSON: for each
module, its inputs, the leaves of its signals, the dependencies between its signals, and the places at which a model can
select the original or a mutant, with their expressions and the bytes of each in the file.

Usage: reader.py FILE...   in the folder of the sources, which may include other files of the folder. An error and
its place are written to standard error.
"""
import json
import re
import sys

from pyslang import ast, driver, syntax

RANGES = {syntax.SyntaxKind.SimpleRangeSelect, syntax.SyntaxKind.AscendingRangeSelect,
         syntax.SyntaxKind.DescendingRangeSelect}
# Items of a module, and statements, in which nothing is mutated.
PASSED = {"EmptyMember", "EmptyStatement", "FunctionDeclaration", "GenvarDeclaration", "InitialBlock",
          "PackageImportDeclaration", "ParameterDeclarationStatement", "TypedefDeclaration"}


def compile_design(files):
    d = driver.Driver()
    d.addStandardArgs()
    if not (d.parseCommandLine(" ".join(["reader --threads 1 -DSYNTHESIS -I ."] + files)) and d.processOptions()):
        sys.exit(1)
    parsed = d.parseAllSources()
    compilation = d.createCompilation()
    d.reportCompilation(compilation, True)
    if not (parsed and d.reportDiagnostics(True)):
        sys.exit(1)
    return d, compilation


def elaborated(compilation):
    """By file and end of a member's name: the members of its structure with their types. By module: an instance for
    each set of parameters, and the leaves that its signals have with all of them. Modules that have types as
    parameters."""
    siblings, instances, common, typed = {}, {}, {}, set()

    def visit(node):
        if isinstance(node, ast.InstanceSymbol):
            own = [p for p in node.body.parameters if not p.isLocalParam]
            values = str([parameter(p) for p in own])
            of_module = instances.setdefault(node.definition.name, {})
            if values not in of_module:
                signals = [s for s in node.body if isinstance(s, (ast.NetSymbol, ast.VariableSymbol)) and usable(s.name)]
                if own and node.hierarchicalPath == node.name:
                    signals = []  # The top has other parameters, and signals of other widths, for other fabric sizes.
                found = [leaf | {"declared": s.location.offset} for s in signals for leaf in leaves(s.name, s.type)]
                known = common.setdefault(node.definition.name, found)
                known[:] = [leaf for leaf in known if leaf in found]
            of_module.setdefault(values, node.hierarchicalPath)
            # A type parameter that an instance cannot set is included, too: Yosys does not accept a module with either
            # kind as a black box.
            if any(isinstance(p, ast.TypeParameterSymbol) for p in node.body.parameters):
                typed.add(node.definition.name)
        if isinstance(node, ast.MemberAccessExpression) and place(node.sourceRange.end) not in siblings:
            fields = [f for f in node.value.type.canonicalType if isinstance(f, ast.FieldSymbol)]
            siblings[place(node.sourceRange.end)] = [(f.name, str(f.type)) for f in fields]

    compilation.getRoot().visit(visit)
    return siblings, {name: list(of_module.values()) for name, of_module in instances.items()}, common, typed


def usable(name):
    return name not in ("clk_i", "rst_ni") and not name.startswith("unused")


def leaves(path, type_):
    """The integers and enumeration values in a signal or a part of it, each with its width and the values of its
    enumeration. Of an array, the first, middle and last elements stand for all."""
    t = type_.canonicalType
    if isinstance(t, ast.EnumType):
        names = [(v.hierarchicalPath.partition("::"), v.name) for v in t]
        values = [scope + separator + name if separator else name for (scope, separator, _), name in names]
        yield {"path": path, "bits": t.bitWidth, "values": values}
    elif t.isStruct:
        for field in t:
            if isinstance(field, ast.FieldSymbol):
                yield from leaves(f"{path}.{field.name}", field.type)
    elif t.isArray and not isinstance(t.elementType.canonicalType, ast.ScalarType):
        low, high = sorted([t.range.left, t.range.right])
        for i in sorted({low, (low + high) // 2, high}):
            yield from leaves(f"{path}[{i}]", t.elementType)
    elif t.isIntegral and t.getBitVectorRange().lower == 0:
        yield {"path": path, "bits": t.bitWidth, "values": []}


def parameter(p):
    return str(p.targetType.type if isinstance(p, ast.TypeParameterSymbol) else p.value)


def nodes(all_):
    """The nodes of a list, without the commas between them."""
    return [x for x in all_ if isinstance(x, syntax.SyntaxNode)]


def place(location):
    return (str(location.buffer), location.offset)


def kind(node):
    return str(node.kind).rpartition(".")[2]


def nearest(all_, name):
    """The nearest name of the same type after a name, and the nearest one before it."""
    names = [n for n, _ in all_]
    if name not in names:
        return []
    at = names.index(name)
    same = lambda part: [n for n, t in part if t == all_[at][1]][:1]
    return same(all_[at + 1:]) + same(all_[:at][::-1])


class Module:
    def __init__(self, node, design):
        self.design = design
        self.syntax, self.name = node, node.header.name.valueText
        self.text = design.text(node)
        self.signals, self.inputs, self.sites, self.depends, self.children = [], [], [], {}, set()
        self.under = []  # The conditions of the statement that is being read.
        for port in nodes(node.header.ports.ports) if node.header.ports else []:
            if port.header.direction.valueText == "input":
                self.inputs.append(port.declarator.name.valueText)
            self.declare(port.header.dataType, [port.declarator])

    def read(self):
        # Signals may be used before they are declared.
        self.declarations(self.syntax.members)
        for item in self.syntax.members:
            self.item(item)
        for site in self.sites:
            site["drives"] = sorted(site["drives"])
        return {"file": self.design.file(self.syntax), "name": self.name, "inputs": self.inputs, "sites": self.sites,
                "depends": {name: sorted(all_) for name, all_ in sorted(self.depends.items())},
                "children": sorted(self.children), "typed": self.name in self.design.typed,
                "instances": self.design.instances.get(self.name, []), "leaves": self.design.leaves.get(self.name, [])}

    # Text

    def at(self, node):
        return [node.sourceRange.start.offset, node.sourceRange.end.offset]

    def span(self, first, last):
        return [self.at(first)[0], self.at(last)[1]]

    def token(self, token):
        return [token.range.start.offset, token.range.end.offset]

    def line(self, at):
        text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", self.text[at[0]:at[1]], flags=re.S)
        return " ".join(text.split())

    def refuse(self, node):
        before = self.text[:self.at(node)[0]]
        column = len(before) - before.rfind("\n")
        sys.exit(f"{self.design.file(self.syntax)}:{before.count(chr(10)) + 1}:{column}: error: {kind(node)} has no mutants")

    # Items

    def declare(self, data_type, declarators):
        for d in declarators:
            text = " ".join(self.line(self.at(n)) for n in [data_type, *d.dimensions] if str(n).strip())
            self.signals.append((d.name.valueText, text))

    def declarations(self, items):
        for item in items:
            if kind(item) == "DataDeclaration":
                self.declare(item.type, nodes(item.declarators))
            for block in self.blocks(item):
                self.declarations(block)

    def blocks(self, item):
        """Items of each block of a generate construct."""
        k = kind(item)
        if k == "GenerateBlock":
            return [item.members]
        if k == "LoopGenerate":
            return [[item.block]]
        if k == "IfGenerate":
            return [[item.block], *([[item.elseClause.clause]] if item.elseClause else [])]
        return []

    def item(self, item):
        k = kind(item)
        blocks = self.blocks(item)
        if blocks:
            for block in blocks:
                for inner in block:
                    self.item(inner)
        elif k == "ContinuousAssign":
            assignments = nodes(item.assignments)
            if len(assignments) != 1:
                self.refuse(item)
            within = Process(self.depends)
            within.reads(self.names(self.expression(assignments[0].left)))
            self.assignment(assignments[0], self.at(item), "continuous", within)
        elif k == "AlwaysCombBlock":
            self.statement(item.statement, "combinational", Process(self.depends))
        elif k in ("AlwaysFFBlock", "AlwaysBlock"):
            self.statement(item.statement.statement, "clocked", Process({}))
        elif k == "HierarchyInstantiation":
            self.instances(item)
        elif k != "DataDeclaration" and k not in PASSED:
            self.refuse(item)

    def instances(self, item):
        child = self.design.modules.get(item.type.valueText)
        if child is None:
            self.refuse(item)
        self.children.add(child.name)
        for instance in nodes(item.instances):
            ins, outs = set(), set()
            for c in nodes(instance.connections):
                name = c.name.valueText
                value = c.expr and self.expression(c.expr)
                is_input = name in child.inputs
                (ins if is_input else outs).update(self.names(value) if value else {name})
                if value and is_input:
                    self.site("connection", value["at"], "continuous", outs, value=value, instance=self.at(item)[0])
            for out in outs:
                self.depends.setdefault(out, set()).update(ins)

    def site(self, k, at, process, drives, **what):
        self.sites.append({"what": {k: what}, "at": at, "process": process, "drives": drives, "under": [*self.under]})

    # Statements

    def statement(self, s, process, within):
        k = kind(s)
        if k == "SequentialBlockStatement":
            for inner in s.items:
                self.statement(inner, process, within)
        elif k == "ConditionalStatement":
            condition = self.expression(s.predicate.conditions[0].expr)
            resets = process == "clocked" and self.line(condition["at"]) == "!rst_ni"
            if not resets:
                self.site("condition", condition["at"], process, within.written, value=condition)
            within.reads(self.names(condition))
            self.under.append(condition["at"])
            self.statement(s.statement, "reset" if resets else process, within)
            if s.elseClause:
                self.statement(s.elseClause.clause, process, within)
            self.under.pop()
        elif k == "CaseStatement":
            self.case(s, process, within)
        elif k == "ForLoopStatement":
            self.statement(s.statement, process, within)
        elif k == "ExpressionStatement" and isinstance(s.expr, syntax.BinaryExpressionSyntax):
            self.assignment(s.expr, self.at(s), process, within)
        elif k not in ("ExpressionStatement", "DataDeclaration") and k not in PASSED:
            self.refuse(s)

    def case(self, s, process, within):
        subject = self.expression(s.expr)
        within.reads(self.names(subject))
        self.under.append(subject["at"])
        default = [i.clause for i in s.items if kind(i) == "DefaultCaseItem"]
        for item in s.items:
            if kind(item) == "StandardCaseItem" and default:
                labels = [self.at(e) for e in nodes(item.expressions)]
                self.site("item", self.at(item.clause), process, within.written, default=self.at(default[0]),
                          labels=labels, subject=subject["at"], whole=self.at(item))
            self.statement(item.clause, process, within)
        self.under.pop()

    def assignment(self, a, at, process, within):
        target, value = self.expression(a.left), self.expression(a.right)
        within.reads(self.names(value))
        within.writes(self.names(target))
        base = target
        while base["kind"] in ("element", "slice", "member", "paren"):
            base = base["parts"][0]
        name = self.line(base["at"]) if base["kind"] == "name" else None
        if name is None or not name.startswith("unused"):
            self.site("assignment", at, process, within.written, target=target["at"],
                      targets=sorted(self.names(target)), value=value, again=name in within.assigned)
        within.assigned.update({name} - {None})

    # Expressions

    def node(self, k, at, parts=(), op=None, values=(), neighbours=()):
        return {"kind": k, "at": at, "parts": list(parts), "op": op, "values": list(values),
                "neighbours": list(neighbours)}

    def names(self, e):
        """All names in an expression."""
        own = {self.line(e["at"])} if e["kind"] == "name" else set()
        return own.union(*(self.names(part) for part in e["parts"]))

    def named(self, at):
        text = self.line(at)
        package, separator, short = text.rpartition("::")
        all_ = self.design.enumerations.get(short, [short])
        i = all_.index(short)
        next_to = dict.fromkeys([all_[(i + 1) % len(all_)], all_[i - 1]])
        values = [package + separator + v for v in next_to if v != short]
        signals = [s for s in self.signals if usable(s[0])]
        return self.node("name", at, values=values, neighbours=nearest(signals, text))

    def selected(self, base, selects):
        for s in selects:
            at = [base["at"][0], self.at(s)[1]]
            inner = s.selector
            if inner.kind in RANGES:
                parts = [base, self.expression(inner.left), self.expression(inner.right)]
                base = self.node("slice", at, parts, op=self.token(inner.range))
            else:
                base = self.node("element", at, [base, self.expression(inner.expr)])
        return base

    def member(self, base, token):
        end = place(token.range.end)
        neighbours = nearest(self.design.siblings.get(end, []), token.valueText)
        return self.node("member", [base["at"][0], end[1]], [base], op=self.token(token), neighbours=neighbours)

    def expression(self, e):
        k, at = kind(e), self.at(e)
        several = lambda all_: [self.expression(x) for x in nodes(all_)]
        if k in ("SimplePropertyExpr", "SimpleSequenceExpr"):
            return self.expression(e.expr)
        if k == "IdentifierName":
            return self.named(at)
        if k == "IdentifierSelectName":
            return self.selected(self.named(self.token(e.identifier)), e.selectors)
        if k == "ScopedName":
            token = e.right.identifier
            if e.separator.valueText == "::":
                base = self.named([at[0], self.token(token)[1]])
            else:
                base = self.member(self.expression(e.left), token)
            return self.selected(base, getattr(e.right, "selectors", []))
        if k == "MemberAccessExpression":
            return self.member(self.expression(e.left), e.name)
        if k == "ElementSelectExpression":
            return self.selected(self.expression(e.left), [e.select])
        if isinstance(e, syntax.LiteralExpressionSyntax) or k == "IntegerVectorExpression":
            return self.node("number", at)
        if k == "ParenthesizedExpression":
            return self.node("paren", at, [self.expression(e.expression)])
        if isinstance(e, syntax.PrefixUnaryExpressionSyntax):
            return self.node("unary", at, [self.expression(e.operand)], op=self.token(e.operatorToken))
        if isinstance(e, syntax.BinaryExpressionSyntax):
            return self.node("binary", at, several([e.left, e.right]), op=self.token(e.operatorToken))
        if k == "ConditionalExpression":
            return self.node("conditional", at, several([e.predicate.conditions[0].expr, e.left, e.right]))
        if k == "ConcatenationExpression":
            return self.node("concat", at, several(e.expressions))
        if k == "MultipleConcatenationExpression":
            return self.node("repeat", at, several([e.expression, *e.concatenation.expressions]))
        if k == "AssignmentPatternExpression":
            return self.node("pattern", at, several(getattr(i, "expr", i) for i in nodes(e.pattern.items)))
        if k == "InvocationExpression":
            arguments = nodes(e.arguments.parameters) if e.arguments else []
            return self.node("call", at, several(a.expr for a in arguments), op=self.at(e.left))
        if k == "CastExpression":
            return self.node("cast", at, [self.expression(e.right.expression)])
        if k == "InsideExpression":
            return self.node("inside", at, several([e.expr, *e.ranges.valueRanges]))
        return self.refuse(e)


class Process:
    """What a process reads and writes; this determines the combinational dependencies between signals."""

    def __init__(self, depends):
        self.depends, self.read, self.written, self.assigned = depends, set(), set(), set()

    def reads(self, names):
        self.read |= names
        self.join()

    def writes(self, names):
        self.written |= names
        self.join()

    def join(self):
        for target in self.written:
            self.depends.setdefault(target, set()).update(self.read)


class Design:
    def __init__(self, files):
        self.driver, compilation = compile_design(files)
        self.siblings, self.instances, self.leaves, self.typed = elaborated(compilation)
        self.texts, self.modules, self.enumerations = {}, {}, {}
        for tree in self.driver.syntaxTrees:
            self.collect(tree.root)

    def file(self, node):
        return self.driver.sourceManager.getFileName(node.sourceRange.start)

    def text(self, node):
        name = self.file(node)
        if name not in self.texts:
            with open(name, encoding="latin-1", newline="") as f:
                self.texts[name] = f.read()
        return self.texts[name]

    def collect(self, node):
        if kind(node) == "ModuleDeclaration":
            module = Module(node, self)
            self.modules[module.name] = module
        if kind(node) == "EnumType":
            values = [m.name.valueText for m in nodes(node.members)]
            self.enumerations.update({v: values for v in values})
        for child in nodes(node):
            self.collect(child)


design = Design(sys.argv[1:])
json.dump([module.read() for module in design.modules.values()], sys.stdout)
