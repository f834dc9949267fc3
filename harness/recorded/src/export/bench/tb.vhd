-- SPDX-License-Identifier: MIT OR Apache-2.0
-- Test bench: drives a fabric with stimulus.txt and buffers.txt from the current folder. The simulator dumps
-- the waves, as the scripts request with an option.
--
-- One process generates the clock and all inputs. Inputs change at the falling edge; the rising edge, half a
-- period later, ends the cycle. Reset is low for the first four rising edges. Adapt the instance `dut`
-- to the names of your design; everything else can stay.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.env.all;
use std.textio.all;

entity tb is
end entity;

architecture bench of tb is
  constant COLS          : positive := {{COLS}};
  constant TILE_ROWS     : positive := {{TILE_ROWS}};
  constant RF_DEPTH      : positive := {{RF_DEPTH}};  -- words of a register file
  constant SRAM_DEPTH    : positive := {{SRAM_DEPTH}};  -- blocks of a tile
  constant BUFFER_BLOCKS : positive := {{BUFFER_BLOCKS}};  -- room for the contents of the input buffers
  constant HALF_PERIOD   : time     := 5 ns;
  constant RESET_EDGES   : positive := 4;

  -- Ports of the fabric
  signal clk             : std_logic := '0';
  signal rst_n           : std_logic := '0';
  signal io_cell         : std_logic_vector(2 * COLS - 1 downto 0) := (others => '0');
  signal prog_valid      : std_logic := '0';
  signal prog_instr      : std_logic_vector(26 downto 0) := (others => '0');
  signal prog_imm        : std_logic := '0';
  signal prog_row_sel    : std_logic_vector(1 downto 0) := (others => '0');
  signal prog_col_sel    : std_logic_vector(COLS - 1 downto 0) := (others => '0');
  signal sram_init_valid : std_logic := '0';
  signal sram_init_row   : std_logic_vector({{TILE_ROW_BITS}} - 1 downto 0) := (others => '0');
  signal sram_init_col   : std_logic_vector({{COL_BITS}} - 1 downto 0) := (others => '0');
  signal sram_init_addr  : std_logic_vector({{SRAM_ADDR_BITS}} - 1 downto 0) := (others => '0');
  signal sram_init_data  : std_logic_vector(255 downto 0) := (others => '0');
  signal rf_init_valid   : std_logic := '0';
  signal rf_init_row     : std_logic := '0';
  signal rf_init_col     : std_logic_vector({{COL_BITS}} - 1 downto 0) := (others => '0');
  signal rf_init_block   : std_logic_vector({{RF_BLOCK_BITS}} - 1 downto 0) := (others => '0');
  signal rf_init_data    : std_logic_vector(255 downto 0) := (others => '0');
  -- The ports of all columns are concatenated, with column 0 in the lowest bits.
  signal io_in_en        : std_logic_vector(COLS - 1 downto 0);
  signal io_in_addr      : std_logic_vector(COLS * 25 - 1 downto 0);
  signal io_in_data      : std_logic_vector(COLS * 256 - 1 downto 0) := (others => '0');
  signal io_out_en       : std_logic_vector(COLS - 1 downto 0);
  signal io_out_addr     : std_logic_vector(COLS * 25 - 1 downto 0);
  signal io_out_data     : std_logic_vector(COLS * 256 - 1 downto 0);
  signal io_out_mask     : std_logic_vector(COLS * 16 - 1 downto 0);
  signal cell_idle       : std_logic_vector(2 * COLS - 1 downto 0);
  signal all_idle        : std_logic;
  signal agu_busy        : std_logic;
begin
{{INSTANCE}}
  main : process is
    -- Contents of the input buffers
    type address_list is array (0 to BUFFER_BLOCKS - 1) of std_logic_vector(24 downto 0);
    type data_list is array (0 to BUFFER_BLOCKS - 1) of std_logic_vector(255 downto 0);
    type column_list is array (0 to BUFFER_BLOCKS - 1) of natural;
    variable block_addr : address_list;
    variable block_data : data_list;
    variable block_col  : column_list;
    variable blocks     : natural := 0;
    variable answers    : std_logic_vector(COLS * 256 - 1 downto 0);

    file stimulus       : text;
    variable row        : line;
    variable more       : boolean;
    variable count      : natural;
    variable cycles     : natural := 0;

    -- Reads from a file the next line that is not a comment; `more` is false at the end of the file.
    procedure next_line(file from : text) is
    begin
      more := false;
      while not more and not endfile(from) loop
        readline(from, row);
        more := row'length > 0 and row(row'low) /= '#';
      end loop;
    end procedure;

    -- Reads the next hexadecimal value of the line; a missing value ends the simulation.
    procedure read_hex(value : out std_logic_vector) is
      variable good : boolean;
    begin
      hread(row, value, good);
      assert good
        report "cycle " & to_string(cycles) & ": a line is not complete" severity failure;
    end procedure;

    procedure load_buffers is
      file contents : text open read_mode is "buffers.txt";
    begin
      loop
        next_line(contents);
        exit when not more;
        assert blocks < BUFFER_BLOCKS
          report "buffers.txt: more blocks than BUFFER_BLOCKS" severity failure;
        read(row, block_col(blocks));
        read_hex(block_addr(blocks));
        read_hex(block_data(blocks));
        blocks := blocks + 1;
      end loop;
    end procedure;

    -- Notes the requests that are on the ports just before the edge; a request in one cycle is answered in the next
    -- cycle.
    procedure note_requests is
    begin
      answers := (others => '0');
      for column in 0 to COLS - 1 loop
        if io_in_en(column) = '1' then
          for i in 0 to blocks - 1 loop
            if block_col(i) = column
              and block_addr(i) = io_in_addr(column * 25 + 24 downto column * 25) then
              answers(column * 256 + 255 downto column * 256) := block_data(i);
            end if;
          end loop;
        end if;
      end loop;
    end procedure;

    procedure read_bit(signal port_bit : out std_logic) is
      variable value : std_logic_vector(0 downto 0);
    begin
      read_hex(value);
      port_bit <= value(0);
    end procedure;

    procedure read_vector(signal port_bits : out std_logic_vector) is
      variable value : std_logic_vector(port_bits'range);
    begin
      read_hex(value);
      port_bits <= value;
    end procedure;

    -- Puts the next line on the ports, if there is one.
    procedure drive_line is
      variable cycle : natural;
    begin
      next_line(stimulus);
      if more then
        read(row, cycle);
        assert cycle = cycles
          report "stimulus.txt: no line for cycle " & to_string(cycles) severity failure;
        read(row, count);
        assert count > 0
          report "stimulus.txt: no cycles in a line" severity failure;
        read_vector(io_cell);
        read_bit(prog_valid);
        read_vector(prog_instr);
        read_bit(prog_imm);
        read_vector(prog_row_sel);
        read_vector(prog_col_sel);
        read_bit(sram_init_valid);
        read_vector(sram_init_row);
        read_vector(sram_init_col);
        read_vector(sram_init_addr);
        read_vector(sram_init_data);
        read_bit(rf_init_valid);
        read_bit(rf_init_row);
        read_vector(rf_init_col);
        read_vector(rf_init_block);
        read_vector(rf_init_data);
        cycles := cycles + count;
      end if;
    end procedure;

    -- In reset, only the straps of the first line are driven.
    procedure drive_straps is
      variable number : natural;
    begin
      file_open(stimulus, "stimulus.txt", read_mode);
      next_line(stimulus);
      read(row, number);
      read(row, number);
      read_vector(io_cell);
      file_close(stimulus);
    end procedure;

    -- One cycle of the clock, from falling edge to falling edge.
    procedure tick is
    begin
      wait for HALF_PERIOD;
      note_requests;
      clk <= '1';
      wait for HALF_PERIOD;
      clk <= '0';
      if blocks > 0 then  -- assigning a wide signal is slow even if nothing changes
        io_in_data <= answers;
      end if;
    end procedure;
  begin
    load_buffers;
    drive_straps;
    for edge in 1 to RESET_EDGES loop
      tick;
    end loop;
    file_open(stimulus, "stimulus.txt", read_mode);
    rst_n <= '1';
    drive_line;
    while more loop
      for i in 1 to count loop
        tick;
      end loop;
      drive_line;
    end loop;
    report to_string(cycles) & " cycles after reset" severity note;
    finish;
  end process;
end architecture;
