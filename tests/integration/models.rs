// SPDX-License-Identifier: MIT OR Apache-2.0
//! Models of our own RTL: which variables show which registers, and what a reset restores.

use std::sync::Arc;

use drra_bridge::{
    CaseCycle,
    plan::{ComparisonPlan, TileMemory},
    sim::{NamedVariable, Sim},
    state::ModelState,
    stopped::StopMessage,
};
use drra_cosim::{BUILT, SIZES};
use drra_fabric::{Location, Register, ports::Inputs};
use drra_golden::Fabric;
use drra_isa::{Geometry, TileId, Unit};
use drra_lockstep::{StateSource, Stop};
use drra_recorded::{map::MapFile, own_map};

const NOW: CaseCycle = CaseCycle { cycle: 0, load_end: 0 };

/// In reset, all registers get random values, none of which remains afterwards: a register without a reset would be
/// detected.
#[test]
fn registers_begin_at_random() {
    SIZES.iter().for_each(begins_at_random);
}

fn begins_at_random(geometry: &Geometry) {
    let mut sim = Sim::new(&BUILT, geometry, 1).unwrap();
    sim.enter_reset(0, 0).unwrap();
    let plan = ComparisonPlan::own(&sim, geometry).unwrap();
    let layout = Arc::clone(&plan.layout);
    let mut state = ModelState::new(&sim, plan);
    let image = |state: &ModelState, unit: Unit| {
        let mut image = Vec::new();
        state.read(unit, &mut image);
        image
    };
    state.randomize(5);
    let (mut bits, mut ones) = (0, 0);
    for unit in layout.units() {
        let image = image(&state, unit);
        ones += image.iter().map(|word| word.count_ones()).sum::<u32>();
        for field in layout.variables_of(unit.kind()).flat_map(|v| &v.fields) {
            bits += field.width;
            let value = layout.value(field.register, &image).unwrap();
            let zero = value.iter().all(|word| *word == 0);
            // A given register of 32 bits is 0 for one in 2^32 seeds.
            assert!(!zero || field.width < 32, "{unit}.{} is not random", field.register);
        }
    }
    let share = f64::from(ones) / f64::from(bits);
    assert!((0.48..0.52).contains(&share), "{ones} of {bits} bits are 1");
    let all =
        |state: &ModelState| layout.units().map(|unit| image(state, unit)).collect::<Vec<_>>();
    let seen = all(&state);
    state.randomize(6);
    assert_ne!(all(&state), seen);
    state.randomize(5);
    assert_eq!(all(&state), seen);
    sim.leave_reset(&Inputs::default()).unwrap();
    let reset = Fabric::new(*geometry, 0);
    assert!(state.agrees(&reset, NOW) && state.memories_agree(&reset, NOW));
}

/// The memories of the tiles contain zeros when a model is made, and a reset undoes every later change of state.
#[test]
fn a_reset_restores_all_state() {
    for geometry in SIZES {
        let mut sim = Sim::new(&BUILT, geometry, 1).unwrap();
        sim.enter_reset(0, 0).unwrap();
        let mut state = ModelState::new(&sim, ComparisonPlan::own(&sim, geometry).unwrap());
        let reset = Fabric::new(*geometry, 0);
        assert!(sim.restores() && state.memories_agree(&reset, NOW), "{geometry}");
        let bytes = |sim: &Sim| -> Vec<u8> {
            let of = |v: NamedVariable| {
                // SAFETY: the simulator reports a variable with its number of bytes, and this test evaluates the
                // model only after the copy.
                unsafe { std::slice::from_raw_parts(v.address as *const u8, v.bytes) }.to_vec()
            };
            sim.variables().into_iter().flat_map(of).collect()
        };
        let first = bytes(&sim);
        for seed in [5, 6] {
            state.randomize(seed);
            for tile in TileId::all(geometry) {
                let register = Register::TileSram(geometry.sram_blocks - 1);
                assert!(state.flip(Location { unit: tile.into(), register }, 255));
            }
            sim.step().unwrap();
            assert!(bytes(&sim) != first && !state.memories_agree(&reset, NOW), "{geometry}");
            sim.enter_reset(0, seed).unwrap();
            assert!(bytes(&sim) == first, "{geometry}");
        }
    }
}

/// State that is missing from the description is found by its behaviour, but not the signals that depend on it.
#[test]
fn unknown_state_is_found() {
    const NAMES: [&str; 6] = ["core_q", "imem_q", "sh_raccu_q", "acc_q", "ld_pipe_q", "sram_q"];
    let search = |geometry: &Geometry, name: &str| {
        let mut sim = Sim::new(&BUILT, geometry, 1).unwrap();
        sim.enter_reset(0, 0).unwrap();
        let mut state = ModelState::new(&sim, ComparisonPlan::own(&sim, geometry).unwrap());
        state.randomize(5);
        for tile in TileId::all(geometry) {
            assert!(state.flip(Location { unit: tile.into(), register: Register::TileSram(0) }, 0));
        }
        let mut known = state.plan.known.clone();
        for left_out in sim.variables().into_iter().filter(|v| v.name == name) {
            known.retain(|offset| offset + sim.address() != left_out.address);
        }
        sim.unknown_state(&known).unwrap()
    };
    for geometry in SIZES {
        assert!(search(geometry, "").is_empty(), "{geometry}");
        for name in NAMES {
            let found = search(geometry, name);
            let right = found.iter().all(|path| path.ends_with(&format!(".{name}")));
            assert!(right && !found.is_empty(), "{geometry}: {name}: {found:?}");
        }
    }
}

/// The fabric description and the signal map of our own RTL lead to the same plan.
#[test]
fn the_plan_of_our_own_rtl_is_that_of_its_map() {
    for geometry in SIZES {
        let own = ComparisonPlan::of_description(&Sim::new(&BUILT, geometry, 1).unwrap(), geometry)
            .unwrap();
        let map = MapFile::parse("own", &own_map(geometry)).unwrap();
        let mapped = ComparisonPlan::of_map(&BUILT, &map, geometry).unwrap();
        assert!(own.tables == mapped.tables, "{geometry}: the tables differ");
        assert_eq!((own.units, own.groups), (mapped.units, mapped.groups), "{geometry}");
        let in_place = |memory: &TileMemory| match memory {
            TileMemory::InPlace(offset) => Some(*offset),
            TileMemory::Rows(_) => None,
        };
        let places = |plan: &[TileMemory]| plan.iter().map(in_place).collect::<Vec<_>>();
        assert_eq!(places(&own.memories), places(&mapped.memories), "{geometry}");
        assert!(mapped.computations.is_empty() && !mapped.memories.is_empty(), "{geometry}");
    }
}

#[test]
fn messages_of_the_place_are_instances() {
    let stopped = StopMessage::parse(
        "assertion\nsub/x.sv:7\n\nstart\n\
         [40] %Error: sub/x.sv:7: Assertion failed in TOP.top.g[1].u.legal: 'assert' failed.\n\
         [40] %Error: sub/x.sv:7: Assertion failed in TOP.top.g[0].u.legal: state: 5\n\
         [40] %Error: sub/x.sv:9: Assertion failed in TOP.top.g[0].u: other\n",
    );
    let failure = stopped.failure;
    assert_eq!((failure.to_string(), &failure.stop), ("x.sv:7".into(), &Stop::Assertion));
    let found: Vec<_> =
        failure.instances.iter().map(|i| (&*i.scope, i.message.as_deref())).collect();
    assert_eq!(found, [("top.g[0].u.legal", Some("state: 5")), ("top.g[1].u.legal", None)]);
    let other = "[40] %Error: sub/x.sv:9: Assertion failed in TOP.top.g[0].u: other";
    assert_eq!(stopped.others, [other]);
}

#[test]
fn other_ends_are_told_apart() {
    let finish = StopMessage::parse("finish\nx.sv:3\n\n").failure;
    assert_eq!((finish.text(), finish.instances.len()), ("$finish at x.sv:3".into(), 0));
    let fatal = StopMessage::parse("fatal\n/a/x.sv:1\ndoes not converge\n").failure;
    assert_eq!(fatal.stop, Stop::Aborted { message: "does not converge".into() });
    assert_eq!((fatal.file.as_str(), fatal.line), ("x.sv", 1));
    let flood = StopMessage::parse("flood\n:0\n\nline\nline\n");
    assert_eq!((&flood.failure, flood.others.len()), (&Stop::ExcessiveOutput.into(), 0));
}
