// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one rule by which what does nothing is not executed.
//!
//! What an edge makes of the state of a block depends on this state and on the inputs of the cycle, on nothing
//! else. Where the last cycle has changed nothing and the inputs are those of the last cycle, so are the signals and
//! the next state.

/// Whether a block, or several with common inputs `I`, are executed in a cycle.
#[derive(Clone, Debug)]
pub(crate) struct Rest<I> {
    /// Inputs of the last cycle.
    seen: Option<I>,
    executes: bool,
    changed: bool,
    /// The state has changed since [`Self::take_stale`].
    stale: bool,
}

impl<I> Rest<I> {
    pub(crate) fn new() -> Self {
        Self { seen: None, executes: true, changed: true, stale: true }
    }

    /// Begins a cycle with these inputs. Returns false if it is the same as the last one.
    #[inline]
    pub(crate) fn begin<J: PartialEq<I>>(&mut self, inputs: &J) -> bool
    where
        I: for<'a> From<&'a J>,
    {
        self.executes = self.changed || !self.seen.as_ref().is_some_and(|seen| *inputs == *seen);
        if self.executes {
            self.seen = Some(I::from(inputs));
        }
        self.executes
    }

    /// Ends it; `changed`: a register may have changed, or a memory was written.
    #[inline]
    pub(crate) fn end(&mut self, changed: bool) {
        self.changed = changed;
        self.stale |= changed;
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
