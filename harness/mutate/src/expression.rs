// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expressions as a tree.

use std::ops::Range;

/// An expression and its tokens.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) tokens: Range<usize>,
    pub(crate) node: Node,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Name of a signal, constant or loop variable, perhaps with its package.
    Name,
    Number,
    /// Operator and operand.
    Unary(usize, Box<Expr>),
    /// Left operand, operator, right operand.
    Binary(Box<Expr>, usize, Box<Expr>),
    /// Condition and two arms.
    Conditional(Box<[Expr; 3]>),
    /// A bit or an element.
    Element(Box<Expr>, Box<Expr>),
    /// A range: base, first bound, `:`, `+:` or `-:`, second bound or width.
    Slice(Box<Expr>, Box<Expr>, usize, Box<Expr>),
    /// A member of a structure; the token of its name.
    Member(Box<Expr>, usize),
    /// A function with its arguments.
    Call(Vec<Expr>),
    /// A type or size, and what is cast.
    Cast(Box<Expr>),
    Concat(Vec<Expr>),
    /// Count, and what is repeated.
    Repeat(Vec<Expr>),
    /// Values of an assignment pattern, without the keys.
    Pattern(Vec<Expr>),
    /// A value and the set that it is looked for in.
    Inside(Box<Expr>, Vec<Expr>),
    Paren(Box<Expr>),
}

impl Expr {
    /// Expressions right below.
    pub(crate) fn children(&self) -> Vec<&Expr> {
        match &self.node {
            Node::Name | Node::Number => Vec::new(),
            Node::Unary(_, e) | Node::Member(e, _) | Node::Cast(e) | Node::Paren(e) => vec![e],
            Node::Binary(l, _, r) | Node::Element(l, r) => vec![l, r],
            Node::Conditional(three) => three.iter().collect(),
            Node::Slice(base, from, _, to) => vec![base, from, to],
            Node::Call(all) | Node::Concat(all) | Node::Repeat(all) | Node::Pattern(all) => {
                all.iter().collect()
            }
            Node::Inside(value, set) => std::iter::once(&**value).chain(set).collect(),
        }
    }

    /// The name at the beginning: the signal of `a.b[3]`.
    pub(crate) fn base(&self) -> Option<&Expr> {
        match &self.node {
            Node::Name => Some(self),
            Node::Element(e, _) | Node::Slice(e, ..) | Node::Member(e, _) | Node::Paren(e) => {
                e.base()
            }
            _ => None,
        }
    }

    /// All names in it, with repetitions.
    pub(crate) fn names<'a>(&'a self, into: &mut Vec<&'a Expr>) {
        if matches!(self.node, Node::Name) {
            into.push(self);
        }
        for child in self.children() {
            child.names(into);
        }
    }
}
