// SPDX-License-Identifier: MIT OR Apache-2.0
//! A rule that knows nothing of what a block contains skips idle blocks.
//!
//! The next state of a block depends only on its state and on its inputs in the cycle. If the last cycle changed
//! nothing and had the same inputs as this one, the signals and the next state are also the same. What depends on the
//! state alone is the same if only the first is true ([`LazyBlock::has_new_outputs`]). A counter that runs freely is no
//! part of that state: it counts in skipped cycles, too, and a cycle in which it has an effect is not skipped.

/// A block of the fabric: its registers, and its signals of the last cycle.
pub trait Clocked {
    /// The inputs of a cycle.
    type Inputs: Clone + Default + PartialEq;

    /// Executes a cycle. Returns whether a register may have changed or a memory has been written, or whether a
    /// free-running counter had an effect.
    fn next(&mut self, inputs: &Self::Inputs) -> bool;

    /// False if a free-running counter has an effect in this cycle.
    fn counts(&self) -> bool {
        true
    }

    /// Executes a cycle that is the same as the last one but for free-running counters.
    fn count(&mut self) {}
}

/// A block with its inputs of the last cycle, executed only if something can change.
#[derive(Clone, Debug)]
pub(crate) struct LazyBlock<B: Clocked> {
    pub(crate) block: B,
    pub(crate) inputs: B::Inputs,
    /// The last cycle was executed.
    executed: bool,
    /// The last edge may have changed the state; true before the first cycle.
    changed: bool,
    /// The state may have changed since the last [`Self::take_dirty`].
    dirty: bool,
}

impl<B: Clocked> LazyBlock<B> {
    pub(crate) fn new(block: B) -> Self {
        Self { block, inputs: B::Inputs::default(), executed: true, changed: true, dirty: true }
    }

    /// Executes a cycle, unless it must be the same as the last one.
    pub(crate) fn next(&mut self, inputs: &B::Inputs) {
        self.executed = self.has_new_outputs() || *inputs != self.inputs;
        if self.executed {
            self.changed = self.block.next(inputs);
            self.inputs.clone_from(inputs);
            self.dirty |= self.changed;
        } else {
            self.block.count();
        }
    }

    /// Like [`Self::next`]; `new` is false only if the inputs are those of the last cycle. Idle blocks do not gather them.
    pub(crate) fn next_if(&mut self, new: bool, inputs: impl FnOnce(&B) -> B::Inputs) {
        if new || self.has_new_outputs() {
            return self.next(&inputs(&self.block));
        }
        self.executed = false;
        self.block.count();
    }

    /// False only if the last cycle was the same as the one before it, but for a free-running counter.
    pub(crate) fn executed(&self) -> bool {
        self.executed
    }

    /// True if the last edge may have changed the state.
    pub(crate) fn changed(&self) -> bool {
        self.changed
    }

    /// False only if everything that depends on the state alone is the same as in the last cycle.
    pub(crate) fn has_new_outputs(&self) -> bool {
        self.changed || !self.block.counts()
    }

    /// True if the state may have changed since the last call.
    pub(crate) fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.dirty)
    }
}
