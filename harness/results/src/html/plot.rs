// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plot of figures over several runs, as SVG without a script.

use maud::{Markup, html};

/// Size of a plot in its own units; on a narrow screen, a unit is about one pixel.
const SIZE: [f64; 2] = [360.0, 190.0];
/// The margins of a plot: left, right, top and bottom.
const BORDERS: [f64; 4] = [46.0, 12.0, 12.0, 26.0];
/// Number of colours in the style sheet.
pub(super) const COLOURS: usize = 8;

/// A line of a plot.
pub(super) struct Series<'a> {
    /// The quantity that it shows.
    pub(super) name: &'a str,
    /// Index of the colour.
    pub(super) colour: usize,
    /// A value for each run; `None` where there is no value.
    pub(super) values: Vec<Option<f64>>,
}

pub(super) struct Plot<'a> {
    /// The quantity that it shows.
    pub(super) title: &'a str,
    /// Unit, appended to each value.
    pub(super) unit: &'a str,
    /// Names of the runs.
    pub(super) nights: &'a [&'a str],
    /// Its lines.
    pub(super) series: Vec<Series<'a>>,
    /// True if the axis starts near the smallest value instead of at zero.
    pub(super) zoomed: bool,
}

impl Plot<'_> {
    /// The plot with its caption; empty without values.
    pub(super) fn figure(&self) -> Markup {
        let Some(axis) = self.axis() else { return html! {} };
        let [width, height] = SIZE;
        let [left, right, _, bottom] = BORDERS;
        html! {
            figure.plot {
                figcaption { (self.title) }
                svg viewBox=(format!("0 0 {width} {height}")) role="img" {
                    title { (self.title) }
                    @for value in axis.ticks() {
                        @let y = axis.y(value);
                        line.grid x1=(left) x2=(width - right) y1=(round(y)) y2=(round(y)) {}
                        text.value x=(left - 6.0) y=(round(y + 4.0)) { (axis.label(value)) (self.unit) }
                    }
                    @if let [first, .., last] = self.nights {
                        text.from x=(left) y=(height - bottom + 18.0) { (first) }
                        text.to x=(width - right) y=(height - bottom + 18.0) { (last) }
                    } @else if let [only] = self.nights {
                        text.only-night x=((left + width - right) / 2.0) y=(height - bottom + 18.0) { (only) }
                    }
                    @for series in &self.series { (self.line(series, &axis)) }
                }
            }
        }
    }

    fn line(&self, series: &Series<'_>, axis: &Axis) -> Markup {
        let class = format!("series c{}", series.colour % COLOURS);
        let points: Vec<(usize, f64)> =
            series.values.iter().enumerate().filter_map(|(i, v)| Some((i, (*v)?))).collect();
        let place = |(night, value): (usize, f64)| (round(self.x(night)), round(axis.y(value)));
        let line: Vec<String> =
            points.iter().map(|p| place(*p)).map(|(x, y)| format!("{x},{y}")).collect();
        html! {
            g class=(class) {
                polyline points=(line.join(" ")) {}
                @for point in points {
                    @let (x, y) = place(point);
                    circle cx=(x) cy=(y) r="3.5" {
                        title { (self.nights[point.0]) ", " (series.name) ": " (exact(point.1)) (self.unit) }
                    }
                }
            }
        }
    }

    fn x(&self, night: usize) -> f64 {
        let [left, right, ..] = BORDERS;
        let room = SIZE[0] - left - right;
        match self.nights.len() {
            0 | 1 => left + room / 2.0,
            n => left + room * night as f64 / (n - 1) as f64,
        }
    }

    fn axis(&self) -> Option<Axis> {
        let values = || self.series.iter().flat_map(|s| s.values.iter().flatten().copied());
        let most = values().max_by(f64::total_cmp)?;
        let least = values().min_by(f64::total_cmp).filter(|_| self.zoomed).unwrap_or(0.0);
        Some(Axis::new(least, most, if self.zoomed { 0.0 } else { 1.0 }))
    }
}

/// The vertical axis, which extends from one multiple of its step to another.
struct Axis {
    from: f64,
    to: f64,
    step: f64,
}

impl Axis {
    /// An axis with at most six steps; a step is 1, 2 or 5 times a power of ten, but at least `smallest`.
    fn new(least: f64, most: f64, smallest: f64) -> Self {
        let range = (most - least).max(most.abs() * 1e-3).max(1e-3);
        let power = 10f64.powf((range / 4.0).log10().floor());
        let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power * 4.0 >= range);
        let step = (factor.unwrap_or(10.0) * power).max(smallest);
        let from = (least / step).floor() * step;
        let to = ((most / step).ceil() * step).max(from + step);
        Self { from, to, step }
    }

    fn ticks(&self) -> Vec<f64> {
        let count = ((self.to - self.from) / self.step).round() as usize;
        (0..=count).map(|i| self.from + i as f64 * self.step).collect()
    }

    fn y(&self, value: f64) -> f64 {
        let [.., top, bottom] = BORDERS;
        let room = SIZE[1] - top - bottom;
        SIZE[1] - bottom - room * (value - self.from) / (self.to - self.from)
    }

    /// A value with as many decimal places as the step needs.
    fn label(&self, value: f64) -> String {
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        format!("{value:.digits$}")
    }
}

/// A coordinate with one decimal place.
fn round(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}

/// A value for display, as an integer or with two decimal places.
pub(super) fn exact(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
