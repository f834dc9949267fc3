// SPDX-License-Identifier: MIT OR Apache-2.0
//! A block in a cycle: first its signals, then the edge. A single rule skips idle blocks.
//!
//! The next state of a block depends only on its state and on its inputs in the cycle. If the last cycle changed
//! nothing and had the same inputs as this one, the signals and the next state are also the same.

/// Decides in each cycle whether a block, or a set of blocks with common inputs `I`, is executed.
#[derive(Clone, Debug)]
pub(crate) struct IdleSkip<I> {
    /// Inputs of the last cycle; unused in the first cycle, in which everything is executed.
    seen: I,
    executes: bool,
    changed: bool,
    /// The state may have changed since the last [`Self::take_dirty`].
    dirty: bool,
}

impl<I: Default> IdleSkip<I> {
    pub(crate) fn new() -> Self {
        Self { seen: I::default(), executes: true, changed: true, dirty: true }
    }

    /// Begins a cycle with these inputs. Returns false if the cycle is the same as the last one.
    #[inline]
    pub(crate) fn begin<J: PartialEq<I>>(&mut self, inputs: &J, keep: fn(&J) -> I) -> bool {
        self.executes = self.changed || *inputs != self.seen;
        if self.executes {
            self.seen = keep(inputs);
        }
        self.executes
    }

    /// Ends the cycle; `changed` means that a register may have changed or a memory has been written.
    #[inline]
    pub(crate) fn end(&mut self, changed: bool) {
        self.changed = changed;
        self.dirty |= changed;
    }

    /// The stored inputs of the last cycle.
    #[inline]
    pub(crate) fn seen(&self) -> &I {
        &self.seen
    }

    /// False if the last cycle was the same as the one before it.
    #[inline]
    pub(crate) fn executes(&self) -> bool {
        self.executes
    }

    /// True if the last edge may have changed the state.
    #[inline]
    pub(crate) fn changed(&self) -> bool {
        self.changed
    }

    /// True if the state may have changed since the last call.
    #[inline]
    pub(crate) fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.dirty)
    }
}

/// A block of the fabric: its registers before the edge.
pub trait Clocked {
    /// The inputs of a cycle.
    type Inputs<'a>: PartialEq<Self::Kept>;
    /// The inputs stored until the next cycle: owned, because `Inputs` can borrow blocks.
    type Kept: Default;
    /// The signals that the block computes from its registers and inputs.
    type Signals: Default;

    /// The part that is compared with the inputs of the next cycle.
    fn keep(inputs: &Self::Inputs<'_>) -> Self::Kept;

    /// The signals of a cycle with these inputs.
    fn eval(&self, inputs: &Self::Inputs<'_>, out: &mut Self::Signals);

    /// The edge. Returns whether a register may have changed or a memory has been written.
    fn commit(&mut self, signals: &Self::Signals) -> bool;
}

/// A block with its signals of the last cycle, executed only when something can change.
#[derive(Clone, Debug)]
pub(crate) struct Executed<B: Clocked> {
    pub(crate) block: B,
    pub(crate) signals: B::Signals,
    pub(crate) skip: IdleSkip<B::Kept>,
}

impl<B: Clocked> Executed<B> {
    pub(crate) fn new(block: B) -> Self {
        Self { block, signals: B::Signals::default(), skip: IdleSkip::new() }
    }

    /// Evaluates the signals of a cycle, unless they are the same as in the last one.
    #[inline]
    pub(crate) fn eval(&mut self, inputs: &B::Inputs<'_>) {
        if self.skip.begin(inputs, B::keep) {
            self.block.eval(inputs, &mut self.signals);
        }
    }

    /// The edge. Returns whether anything may have changed.
    #[inline]
    pub(crate) fn commit(&mut self) -> bool {
        if self.skip.executes() {
            self.skip.end(self.block.commit(&self.signals));
        }
        self.skip.changed()
    }
}
