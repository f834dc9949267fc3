// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identities in files: each is stored as text, its name in the description or its canonical path.

use drra_isa::{as_text, by_name};

use crate::{
    AguId, CellInput, CrossbarPort, CrossbarSource, Generator, Lane, Location, MessageKind, PortId,
    RegisterId, RuleId, Side, SignalId,
};

by_name! {
    AguId "AGU",
    CellInput "input of a cell",
    CrossbarPort "crossbar output",
    CrossbarSource "crossbar source",
    Generator "generator",
    Lane "lane",
    MessageKind "kind of message",
    PortId "output port",
    RegisterId "kind of register",
    RuleId "rule",
    Side "side",
    SignalId "kind of signal",
}

as_text! {
    Location "register" &[],
}
