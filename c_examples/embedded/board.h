/* What the example asks of the machine that it runs on: cortex_m.c, riscv.c, wasm.c and host.c answer. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* Writes text where somebody can read it. */
void board_write(const char *text);

/* Instructions since some moment, or 0 for ever where nobody counts them. */
uint64_t board_instructions(void);

/* The deepest that the stack has been, in bytes, or 0 where nobody looks. */
uint32_t board_stack(void);

/* The example; zero is success. */
int example(void);

#endif
