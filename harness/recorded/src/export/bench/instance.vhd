  dut : entity work.drra_fabric
    generic map (
      COLS       => COLS,
      TILE_ROWS  => TILE_ROWS,
      RF_DEPTH   => RF_DEPTH,
      SRAM_DEPTH => SRAM_DEPTH
    )
    port map (
      clk             => clk,
      rst_n           => rst_n,
      io_cell         => io_cell,
      prog_valid      => prog_valid,
      prog_instr      => prog_instr,
      prog_imm        => prog_imm,
      prog_row_sel    => prog_row_sel,
      prog_col_sel    => prog_col_sel,
      sram_init_valid => sram_init_valid,
      sram_init_row   => sram_init_row,
      sram_init_col   => sram_init_col,
      sram_init_addr  => sram_init_addr,
      sram_init_data  => sram_init_data,
      rf_init_valid   => rf_init_valid,
      rf_init_row     => rf_init_row,
      rf_init_col     => rf_init_col,
      rf_init_block   => rf_init_block,
      rf_init_data    => rf_init_data,
      io_in_en        => io_in_en,
      io_in_addr      => io_in_addr,
      io_in_data      => io_in_data,
      io_out_en       => io_out_en,
      io_out_addr     => io_out_addr,
      io_out_data     => io_out_data,
      io_out_mask     => io_out_mask,
      cell_idle       => cell_idle,
      all_idle        => all_idle,
      agu_busy        => agu_busy
    );
