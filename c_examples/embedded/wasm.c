/* The example as a WebAssembly module: wasm.mjs gives it a way to write. */
#include "board.h"

__attribute__((import_module("board"), import_name("write"))) void outside_write(const char *text);
void board_write(const char *text) { outside_write(text); }
uint64_t board_instructions(void) { return 0; }
uint32_t board_stack(void) { return 0; }

__attribute__((export_name("run"))) int run(void) { return example(); }
