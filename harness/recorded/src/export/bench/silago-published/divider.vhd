-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Stand-in for the divider of the published SiLago fabric, in place of its divider_pipe.vhd, which instantiates a
-- vendor component and does not elaborate in GHDL. Written from chapter 4, section 10.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity divider_pipe is
  port (
    clk       : in  std_logic;
    rst_n     : in  std_logic;
    const_one : in  signed;
    dividend  : in  signed;
    divisor   : in  signed;
    quotient  : out signed;
    remainder : out signed
  );
end entity;

architecture stand_in of divider_pipe is
  type stages is array (1 to 3) of signed(31 downto 0);
  signal q   : stages;
  signal now : signed(31 downto 0);

  function divide(dividend, divisor : signed) return signed is
  begin
    if divisor /= 0 then
      return resize(shift_left(resize(dividend, 43), 11) / divisor, 32);
    elsif dividend > 0 then
      return x"000FFFFF";
    end if;
    return x"FFF00000";
  end function;
begin
  process (clk, rst_n) is
  begin
    if rst_n = '0' then
      q <= (others => (others => '0'));
    elsif rising_edge(clk) then
      q <= (now, q(1), q(2));
    end if;
  end process;

  now       <= divide(dividend, divisor);
  quotient  <= q(3);
  remainder <= (remainder'range => '0');  -- nothing reads it
end architecture;
