--x-assign 0 --x-initial 0
wrapper.sv
silagonn.v
