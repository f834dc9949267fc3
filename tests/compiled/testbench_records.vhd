library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity testbench is
end entity;

architecture sim of testbench is
  constant period : time := 5 ns;
  type mem_value_type is record
    address : std_logic_vector(6 downto 0);
    row     : unsigned(1 downto 0);
    col     : unsigned(2 downto 0);
    data    : std_logic_vector(255 downto 0);
  end record;
  type mem_values_type is array (0 to 3) of mem_value_type;
  constant mem_init_values : mem_values_type := (
    0 => ("0000000", "01", "000", X"000f000e000d000c000b000a0009000800070006000500040003000200010000"),
    1 => ("0000001", "01", "000", X"001f001e001d001c001b001a0019001800170016001500140013001200110010"),
    2 => ("0000010", "01", "000", X"002f002e002d002c002b002a0029002800270026002500240023002200210020"),
    3 => ("0000011", "01", "000", X"003f003e003d003c003b003a0039003800370036003500340033003200310030")
  );
  type reg_value_type is record
    address : std_logic_vector(1 downto 0);
    row     : std_logic_vector(1 downto 0);
    col     : std_logic_vector(7 downto 0);
    data    : std_logic_vector(255 downto 0);
  end record;
  type reg_values_type is array (0 to 0) of reg_value_type;
  constant reg_init_values : reg_values_type := (
    0 => ("11", "01", "00000001", X"0000000000000000000000000000000000000000000000000000000000000007")
  );
begin
end architecture;
