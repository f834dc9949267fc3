// SPDX-License-Identifier: MIT OR Apache-2.0
//! A clocked block, and the one rule by which a block that does nothing is not executed.
//!
//! What an edge makes of the state of a block depends on this state and on the inputs of the cycle, on nothing
//! else. Where the last cycle has changed nothing and the inputs are those of the last cycle, so are the signals and
//! the next state.

use std::ops::Deref;

/// A block with registers, and perhaps a memory.
pub(crate) trait Clocked {
    /// What enters the block in a cycle. It may borrow from the registers of other blocks.
    type Inputs<'a>: PartialEq<Self::Seen>;
    /// The same, to compare the next cycle with.
    type Seen;
    /// All signals of a cycle, the next state of the registers among them.
    type Signals: Default;

    /// Keeps the inputs of a cycle.
    fn seen(inputs: &Self::Inputs<'_>) -> Self::Seen;

    /// The signals of a cycle. They are written where they are kept: to copy a structure that has just been written
    /// field by field costs more than the fields.
    fn eval(&self, inputs: &Self::Inputs<'_>, signals: &mut Self::Signals);

    /// The edge. Returns whether a register has changed or a memory was written.
    fn commit(&mut self, signals: &Self::Signals) -> bool;
}

/// A block that is executed only when something can change.
#[derive(Clone, Debug)]
pub(crate) struct Rest<B: Clocked> {
    block: B,
    /// Inputs and signals of the last cycle.
    seen: Option<B::Seen>,
    signals: B::Signals,
    executes: bool,
    changed: bool,
    /// The state has changed since [`Self::take_stale`].
    stale: bool,
}

impl<B: Clocked> Rest<B> {
    pub(crate) fn new(block: B) -> Self {
        let signals = B::Signals::default();
        Self { block, seen: None, signals, executes: true, changed: true, stale: true }
    }

    /// The signals of a cycle with these inputs.
    #[inline]
    pub(crate) fn eval(&mut self, inputs: &B::Inputs<'_>) -> &B::Signals {
        self.executes = self.changed || !self.seen.as_ref().is_some_and(|seen| *inputs == *seen);
        if self.executes {
            self.block.eval(inputs, &mut self.signals);
            self.seen = Some(B::seen(inputs));
        }
        &self.signals
    }

    /// The edge that ends it.
    #[inline]
    pub(crate) fn commit(&mut self) {
        if self.executes {
            self.changed = self.block.commit(&self.signals);
            self.stale |= self.changed;
        }
    }

    /// The signals that were evaluated last.
    #[inline]
    pub(crate) fn signals(&self) -> &B::Signals {
        &self.signals
    }

    /// False if the last cycle was the same as the one before it.
    #[inline]
    pub(crate) fn executes(&self) -> bool {
        self.executes
    }

    /// True if the last edge has changed the state.
    #[inline]
    pub(crate) fn changed(&self) -> bool {
        self.changed
    }

    /// True if the state has changed since the last call.
    #[inline]
    pub(crate) fn take_stale(&mut self) -> bool {
        std::mem::take(&mut self.stale)
    }
}

impl<B: Clocked> Deref for Rest<B> {
    type Target = B;

    #[inline]
    fn deref(&self) -> &B {
        &self.block
    }
}
