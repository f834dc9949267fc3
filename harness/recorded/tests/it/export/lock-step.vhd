-- A small fabric with the names and constructs that lock-step.sh changes: files, each after its name.
-- file DW/empty.vhd
package empty is
end package;
-- file mtrf/InputMux.vhd
library ieee;
use ieee.std_logic_1164.all;

-- The name of the output is a keyword of Verilog.
entity InputMux is
  port (
    pair   : in  std_logic_vector(1 downto 0);
    sel    : in  std_logic;
    output : out std_logic
  );
end entity;

architecture rtl of InputMux is
begin
  output <= pair(1) when sel = '1' else pair(0);
end architecture;
-- file mtrf/switchbox.vhd
library ieee;
use ieee.std_logic_1164.all;

entity switchbox is
  port (
    pair   : in  std_logic_vector(1 downto 0);
    chosen : out std_logic_vector(1 downto 0)
  );
end entity;

architecture rtl of switchbox is
begin
  mux0 : entity work.InputMux
    port map (pair => pair, sel => '0', output => chosen(0));
  mux1 : entity work.InputMux
    port map (pair => pair, sel => '1', output => chosen(1));
end architecture;
-- file mtrf/SRAM_model.vhd
library ieee;
use ieee.std_logic_1164.all;

entity SRAM_model is
  port (
    d : in  std_logic;
    q : out std_logic
  );
end entity;

architecture rtl of SRAM_model is
begin
  q <= not d;
end architecture;
-- file mtrf/cell.vhd
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity cell is
  port (
    immediate : in  std_logic;
    word      : in  std_logic_vector(33 downto 0);
    numbers   : in  std_logic_vector(111 downto 0);
    start     : out signed(5 downto 0);
    step      : out signed(5 downto 0);
    sum       : out signed(32 downto 0)
  );
end entity;

architecture rtl of cell is
  type registers is array (15 downto 0) of signed(6 downto 0);
  signal regs : registers;
  signal wide : signed(32 downto 0);
  signal pair, chosen : std_logic_vector(1 downto 0);
begin
  fill : for n in registers'range generate
    regs(n) <= signed(numbers(7 * n + 6 downto 7 * n));
  end generate;
  pair  <= immediate & word(0);
  start <= resize(regs(to_integer(unsigned(word(19 downto 14)))), 6);
  step  <= resize(regs(to_integer(unsigned(word(33 downto 28)))), 6);
  wide  <= resize(signed(numbers(32 downto 0)), 33);
  sum   <= to_signed(0, 33) when wide < -2147483648 and chosen = "10" else wide;
  box : entity work.switchbox
    port map (pair => pair, chosen => chosen);
end architecture;
-- file silagonn.vhd
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity silagonn is
  port (
    clk       : in  std_logic;
    rst_n     : in  std_logic;
    Immediate : in  std_logic;
    word      : in  std_logic_vector(33 downto 0);
    numbers   : in  std_logic_vector(111 downto 0);
    sum       : out signed(32 downto 0);
    q         : out std_logic
  );
end entity;

architecture rtl of silagonn is
  type all_cells is array (0 to 15) of signed(32 downto 0);
  type all_short is array (0 to 15) of signed(5 downto 0);
  signal sums : all_cells;
  signal starts, steps : all_short;
begin
  mtrf_cols : for c in 0 to 7 generate
    mtrf_rows : for r in 0 to 1 generate
      inst : entity work.cell
        port map (
          immediate => Immediate,
          word      => word,
          numbers   => numbers,
          start     => starts(8 * r + c),
          step      => steps(8 * r + c),
          sum       => sums(8 * r + c)
        );
    end generate;
  end generate;
  process (clk, rst_n) is
  begin
    if rst_n = '0' then
      sum <= (others => '0');
    elsif rising_edge(clk) then
      sum <= sums(0) + starts(9) + steps(4);
    end if;
  end process;
  macro : entity work.SRAM_model
    port map (d => word(0), q => q);
end architecture;
