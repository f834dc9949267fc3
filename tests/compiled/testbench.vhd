library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity testbench is
end entity;

architecture sim of testbench is
  type mem_type is array (0 to 127) of std_logic_vector(255 downto 0);
  constant mem_init_values : mem_type := (
    0 => x"000f000e000d000c000b000a0009000800070006000500040003000200010000",
    1 => x"001f001e001d001c001b001a0019001800170016001500140013001200110010",
    2 => x"002f002e002d002c002b002a0029002800270026002500240023002200210020",
    3 => x"003f003e003d003c003b003a0039003800370036003500340033003200310030",
    others => (others => '0')
  );
begin
end architecture;
