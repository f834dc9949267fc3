--x-assign 0 --x-initial 0
blocks.vlt
wrapper.sv
silagonn.v
