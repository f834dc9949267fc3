// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the letters of a pattern stand for.

/// What an index or a row of a table is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Number(i64),
    /// A name and, if it is that of a key, its position.
    Name(String, Option<i64>),
}

/// What the letters of a pattern stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bindings(Vec<(char, Item)>);

impl Item {
    /// As it stands in a path.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Number(n) => n.to_string(),
            Self::Name(name, _) => name.clone(),
        }
    }
}

impl Bindings {
    /// Letters with what they stand for.
    pub(super) fn new(bindings: impl IntoIterator<Item = (char, usize)>) -> Self {
        Self(bindings.into_iter().map(|(l, n)| (l, Item::Number(n as i64))).collect())
    }

    /// Adds a letter.
    pub(super) fn push(&mut self, letter: char, item: Item) {
        self.0.push((letter, item));
    }

    /// What a letter stands for.
    pub(super) fn get(&self, letter: char) -> Option<Item> {
        self.0.iter().find(|(l, _)| *l == letter).map(|(_, item)| item.clone())
    }

    /// Forgets the letter of the key.
    pub(super) fn forget_last(&mut self) {
        self.0.pop();
    }

    pub(super) fn letters(&self) -> Vec<char> {
        self.0.iter().map(|(l, _)| *l).collect()
    }
}
