// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties that tell the bins of a group apart: a group has a bin for each combination of their
//! values, the last property fastest.

/// A property with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// What the property is.
    pub name: &'static str,
    /// Its values in words.
    pub values: Vec<String>,
}

impl Axis {
    /// A property with values that have names.
    pub(crate) fn new<T: ToString>(
        name: &'static str,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        Self { name, values: values.into_iter().map(|v| v.to_string()).collect() }
    }
}

/// The properties of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axes(pub(crate) Vec<Axis>);

impl Axes {
    /// Number of combinations.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|axis| axis.values.len()).product()
    }

    /// Number of a combination.
    pub(crate) fn number(&self, index: &[usize]) -> usize {
        self.0.iter().zip(index).fold(0, |number, (axis, value)| number * axis.values.len() + value)
    }

    /// Combination of a number.
    pub(crate) fn index(&self, mut number: usize) -> Vec<usize> {
        let mut index = vec![0; self.0.len()];
        for (value, axis) in index.iter_mut().zip(&self.0).rev() {
            *value = number % axis.values.len();
            number /= axis.values.len();
        }
        index
    }

    /// Calls `see` with each number and its combination, in ascending order.
    pub(crate) fn each(&self, mut see: impl FnMut(usize, &[usize])) {
        let mut index = vec![0; self.0.len()];
        for number in 0..self.count() {
            see(number, &index);
            for (value, axis) in index.iter_mut().zip(&self.0).rev() {
                *value += 1;
                if *value < axis.values.len() {
                    break;
                }
                *value = 0;
            }
        }
    }

    /// A combination in words.
    pub(crate) fn label(&self, number: usize) -> String {
        let index = self.index(number);
        let values = self.0.iter().zip(index).map(|(axis, value)| axis.values[value].as_str());
        values.collect::<Vec<_>>().join(", ")
    }
}
