-- SPDX-License-Identifier: MIT OR Apache-2.0
-- A design with the ports of a fabric that only writes its inputs into recorded.txt: one line for each rising edge
-- outside reset, with every port in hexadecimal, followed by the answers of the buffers, column 0 first. In cycle t it
-- requests block 4t+c, modulo 16, from the buffer of column c.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;

entity drra_fabric is
  generic (
    COLS       : positive;
    TILE_ROWS  : positive;
    RF_DEPTH   : positive;
    SRAM_DEPTH : positive
  );
  port (
    clk, rst_n                             : in  std_logic;
    io_cell                                : in  std_logic_vector;
    prog_valid, prog_imm                   : in  std_logic;
    prog_instr, prog_row_sel, prog_col_sel : in  std_logic_vector;
    sram_init_valid                        : in  std_logic;
    sram_init_row, sram_init_col           : in  std_logic_vector;
    sram_init_addr, sram_init_data         : in  std_logic_vector;
    rf_init_valid, rf_init_row             : in  std_logic;
    rf_init_col, rf_init_block             : in  std_logic_vector;
    rf_init_data                           : in  std_logic_vector;
    io_in_data                             : in  std_logic_vector;
    io_in_en                               : out std_logic_vector(COLS - 1 downto 0);
    io_in_addr                             : out std_logic_vector(COLS * 25 - 1 downto 0);
    io_out_en                              : out std_logic_vector(COLS - 1 downto 0);
    io_out_addr                            : out std_logic_vector(COLS * 25 - 1 downto 0);
    io_out_data                            : out std_logic_vector(COLS * 256 - 1 downto 0);
    io_out_mask                            : out std_logic_vector(COLS * 16 - 1 downto 0);
    cell_idle                              : out std_logic_vector(2 * COLS - 1 downto 0);
    all_idle, agu_busy                     : out std_logic
  );
end entity;

architecture recorder of drra_fabric is
  signal cycle : natural := 0;
begin
  io_in_en    <= (others => rst_n);
  io_out_en   <= (others => '0');
  io_out_addr <= (others => '0');
  io_out_data <= (others => '0');
  io_out_mask <= (others => '0');
  cell_idle   <= (others => '0');
  all_idle    <= '0';
  agu_busy    <= '0';

  requests : for c in 0 to COLS - 1 generate
    io_in_addr(c * 25 + 24 downto c * 25) <= std_logic_vector(to_unsigned((4 * cycle + c) mod 16, 25));
  end generate;

  write_ports : process (clk) is
    file recorded : text open write_mode is "recorded.txt";
    variable row  : line;

    procedure put(bits : std_logic_vector) is
    begin
      write(row, to_hstring(bits) & " ");
    end procedure;

    procedure put(bit_value : std_logic) is
      constant bits : std_logic_vector(0 downto 0) := (0 => bit_value);
    begin
      put(bits);
    end procedure;
  begin
    if rising_edge(clk) and rst_n = '1' then
      put(io_cell);
      put(prog_valid);
      put(prog_instr);
      put(prog_imm);
      put(prog_row_sel);
      put(prog_col_sel);
      put(sram_init_valid);
      put(sram_init_row);
      put(sram_init_col);
      put(sram_init_addr);
      put(sram_init_data);
      put(rf_init_valid);
      put(rf_init_row);
      put(rf_init_col);
      put(rf_init_block);
      put(rf_init_data);
      for c in 0 to COLS - 1 loop
        put(io_in_data(c * 256 + 255 downto c * 256));
      end loop;
      writeline(recorded, row);
      cycle <= cycle + 1;
    end if;
  end process;
end architecture;
