  dut : entity work.silagonn
    port map (
      clk            => clk,
      rst_n          => rst_n,
      clk_input      => (others => '0'),
      rst_input      => (others => '0'),
      instr_ld       => prog_valid,
      instr_inp      => prog_instr,
      immediate      => prog_imm,
      seq_address_rb => prog_row_sel,
      seq_address_cb => prog_col_sel,
      tb_en          => sram_init_valid,
      tb_addrs       => sram_init_addr,
      tb_inp         => sram_init_data,
      tb_row         => unsigned(sram_init_row),
      tb_col         => unsigned(sram_init_col)
    );
